// SPDX-License-Identifier: Apache-2.0
// Call: a request to esmond's API, as all its resources see it.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/esmond/error.h"
#include "api/esmond/keys.h"
#include "api/shared/http.h"
#include "language/esmond/names.h"
#include "language/esmond/rates.h"
#include "model/time.h"
#include "query/engine.h"
#include "snmp/inventory/history_store.h"
#include "snmp/inventory/inventory_store.h"
#include "write/writer.h"

namespace varve::api::esmond {

using namespace language::esmond;  // the series of paths, and what is read of them

struct Parts {
  write::Writer& writer;
  const query::Engine& engine;
  snmp::inventory::InventoryStore& inventory;
  const snmp::inventory::HistoryStore& history;
  const EsmondKeys& keys;
};

struct Call {
  const Parts& parts;
  const Request& request;
  bool is_v1 = false;                   // else v2
  std::vector<std::string> names = {};  // of the path, decoded
  bool is_known = false;                // whoever asks may do what needs a key

  [[nodiscard]] std::string root() const { return is_v1 ? "/v1/" : "/v2/"; }
  [[nodiscard]] model::Timestamp now() const { return parts.engine.clock().now_ms(); }
  // As of now, whichever replica changed it.
  [[nodiscard]] Result<std::shared_ptr<const snmp::inventory::Inventory>> inventory() const;
};

using Work = Result<Response> (*)(const Call&);

// The segments that stand in the path for {path} of the route, each decoded; nullopt: a name is not UTF-8.
std::optional<std::vector<std::string>> names_of_path(const Request& request);

// A number of seconds or milliseconds, cut to a whole one; nullopt: the request does not have it. Error: invalid.
Result<std::optional<std::int64_t>> whole_param(const Request& request, std::string_view name);

// ?begin=&end= of what is asked for as data, in units of `unit_ms`: the last hour, unless they say otherwise. Error:
// invalid (also where begin is behind end).
struct Span {
  std::int64_t begin = 0, end = 0;
};
Result<Span> data_span(const Call& call, std::optional<std::int64_t> begin, std::optional<std::int64_t> end,
                       std::int64_t unit_ms);
Result<Span> data_span(const Call& call, std::int64_t unit_ms);

// ?begin=&end= of devices and interfaces, seconds, both in: what was valid at any time of it; now, unless they say
// otherwise. In milliseconds.
Result<Span> valid_span(const Call& call);
// Of something that began and ended then.
bool overlaps(const Span& span, std::optional<model::Timestamp> begin, std::optional<model::Timestamp> end);

// ?limit=&offset=
struct EsmondPage {
  std::size_t limit = 0;  // 0: all
  std::size_t offset = 0;

  template <class Item>
  [[nodiscard]] std::span<const Item> of(std::span<const Item> all) const {
    all = all.subspan(std::min(offset, all.size()));
    return limit == 0 ? all : all.first(std::min(limit, all.size()));
  }
};
Result<EsmondPage> page_of(const Call& call, std::size_t unless_said);
inline constexpr std::size_t kEsmondListed = 20;

// {"limit":20,"next":null,…}
std::string meta_json(const Call& call, const EsmondPage& page, std::size_t count);

// Whole seconds, and for v1 2013-06-01T00:00:00. nullopt: for ever.
std::int64_t epoch_of(std::optional<model::Timestamp> time);
std::string iso_of(std::optional<model::Timestamp> time);
inline constexpr std::int64_t kForEverSeconds = 253402127999;

// A number that esmond has instead of a name: the same for the same texts, positive, of 31 bits.
std::int64_t id_of(std::string_view text);

}  // namespace varve::api::esmond
