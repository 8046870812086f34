// SPDX-License-Identifier: Apache-2.0
// Usage of interfaces, as a question asks for it: from the series of the objects whose alias is `in` or `out`, and the
// history of the interfaces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task_pool.h"
#include "language/usage/figures.h"
#include "language/usage/request.h"
#include "query/engine.h"
#include "query/under_way.h"
#include "snmp/inventory/history_store.h"
#include "snmp/inventory/inventory_store.h"

namespace varve::language::usage {

struct UsageSources {
  const query::Engine& queries;
  snmp::inventory::InventoryStore& inventory;
  const snmp::inventory::HistoryStore& history;
  TaskPool& pool;  // histories are read there, many at a time
};

struct InterfaceUsage {
  std::string device = {}, name = {};
  // As of its newest row in the range; nothing: no row says it.
  std::optional<std::string> alias = {};
  std::optional<std::uint64_t> bits_per_second = {};
  UsageFigures in = {}, out = {};
};

struct Usage {
  std::vector<InterfaceUsage> interfaces = {};  // as sorted and limited; else by device and name
  UsageFigures in = {}, out = {};               // of all that fit the question, whatever its limit
};

// An interface whose bytes several oidsets poll is counted once: each bin is that of the set which covers most of it,
// and of equal ones of that which polls more often. Errors: those of the engine and of the texts.
Result<Usage> read_usage(const UsageSources& sources, const std::string& tenant, const UsageQuestion& question,
                         query::UnderWay& query);

}  // namespace varve::language::usage
