// SPDX-License-Identifier: Apache-2.0
// Values of a query's JSON, as leniently as KairosDB takes them and with its words where it does not. `context` is the
// place that a message begins with, such as query.metric[0].aggregators[1].
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/time_unit.h"
#include "model/time_zone.h"
#include "protocol/json/tree.h"

namespace varve::protocol::kairosdb {

inline std::unexpected<Error> invalid(std::string message) { return fail(Code::invalid, std::move(message)); }

// 12, "12", 12.7 (cut to 12), "1e3". Out of the range of 64 bits: the nearest end.
Result<std::int64_t> whole_of(const json::Node& node);
// 1.5, "1.5"; not NaN or infinite.
Result<double> real_of(const json::Node& node, const std::string& what);
// true, "true"
Result<bool> flag_of(const json::Node& node, const std::string& what);
// "days", "DAYS"
Result<model::TimeUnit> unit_of(const json::Node& node, const std::string& context);
// Position of the text in `names`, in any letter case.
Result<std::size_t> choice_of(const json::Node& node, const std::string& context,
                              const std::vector<std::string_view>& names);
Result<model::TimeZone> zone_of(const json::Node& node, const std::string& context);

// {"value": 5, "unit": "minutes"}; a value may be 0.
struct Length {
  std::int64_t value = 0;
  model::TimeUnit unit = model::TimeUnit::milliseconds;
};
// `otherwise`: the value if there is none. `context`: of the unit, `what`: the object itself.
Result<Length> length_of(const json::Node& node, std::int64_t otherwise, const std::string& context,
                         const std::string& what);

// Back to JSON, for a message; cut after a line's worth.
std::string source_of(const json::Node& node);

// What KairosDB says where a property has no setter. `java_class` without its package.
std::unexpected<Error> unknown_property(std::string_view property, std::string_view of, std::string_view package,
                                        std::string_view java_class);

}  // namespace varve::protocol::kairosdb
