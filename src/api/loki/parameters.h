// SPDX-License-Identifier: Apache-2.0
// Parameters of Loki's API: of the URL, and of a form in the body of a POST.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/shared/http.h"
#include "base/result.h"
#include "http/url.h"
#include "language/logql/metric.h"
#include "language/logql/source.h"

namespace varve::api {

class LokiParameters {
 public:
  // Error: invalid.
  static Result<LokiParameters> of(const Request& request);

  // Of several the first one; "" is the same as absent.
  [[nodiscard]] std::optional<std::string_view> get(std::string_view name) const;
  [[nodiscard]] std::vector<std::string_view> all(std::string_view name) const;

  // Whole numbers of at least `least`.
  [[nodiscard]] Result<std::uint64_t> number(std::string_view name, std::uint64_t unless_said,
                                             std::uint64_t least = 0) const;
  // Nanoseconds since 1970: a whole number (of seconds if it has at most ten digits), seconds with a fraction, or RFC
  // 3339; not before 1970.
  [[nodiscard]] Result<std::int64_t> time(std::string_view name, std::int64_t unless_said) const;
  // Nanoseconds: seconds as a number, or a duration.
  [[nodiscard]] Result<std::optional<std::int64_t>> duration(std::string_view name) const;
  // start (or end - since, or end - an hour) and end (or now). Error: the end is before the start.
  [[nodiscard]] Result<language::logql::TimeSpan> span(std::int64_t now_ns, std::int64_t unless_said_ns) const;

 private:
  http::Parameters parameters_;
};

// `step`, unless said a 250th of the span. Error: invalid, if there are too many.
Result<language::logql::Steps> steps_of(const LokiParameters& parameters, language::logql::TimeSpan span);

inline constexpr std::int64_t kHourNs = 3'600'000'000'000;

}  // namespace varve::api
