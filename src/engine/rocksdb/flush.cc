// SPDX-License-Identifier: Apache-2.0
// Flush: the thread that moves frozen heads, and definitions that pile up, into the database. It waits for no other
// work of the store: whoever merges, seals or deletes looks at the list of runs of one moment, and leaves alone what a
// flush adds to it afterwards (docs/decisions/0022-flushes-wait-for-nobody.md).
#include "engine/rocksdb/store_state.h"

namespace varve::engine::rocksdb {

bool Store::State::flush_once() {
  const std::lock_guard lock(flush_mutex);
  bool has_frozen = false;
  bool has_definitions = false;
  {
    const std::lock_guard append(append_mutex);
    if (frozen == nullptr && head_over(1)) static_cast<void>(freeze());
    has_frozen = frozen != nullptr;
    has_definitions = !logged_definitions.empty();
  }
  if (has_frozen) {
    const Status status = spill_frozen();
    if (status) maintenance.wake();
    return flush_troubles.note("samples cannot be moved into the database; they stay in the log", status);
  }
  if (!has_definitions) return false;
  return flush_troubles.note("definitions cannot be moved into the database", hand_over_definitions());
}

// What is frozen, then what the head holds.
Status Store::State::spill_all() {
  for (int heads = 0; heads < 2; ++heads) {
    bool has_frozen = false;
    {
      const std::lock_guard lock(append_mutex);
      if (frozen == nullptr && head->rows() > 0) VARVE_CHECK_OK(freeze());
      has_frozen = frozen != nullptr;
    }
    if (has_frozen) VARVE_CHECK_OK(spill_frozen());
  }
  return {};
}

Status Store::State::spill_all_alone() {
  const std::lock_guard lock(flush_mutex);
  return spill_all();
}

Status Store::State::hand_over_definitions() {
  std::string definitions;
  std::uint64_t sequence = 0;
  {
    const std::lock_guard lock(append_mutex);
    definitions.swap(logged_definitions);
    sequence = log->sequence();
  }
  if (definitions.empty()) return {};
  auto status = database->put_definitions(sequence, definitions);
  if (!status) {
    const std::lock_guard lock(append_mutex);
    logged_definitions.insert(0, definitions);
  }
  return status;
}

}  // namespace varve::engine::rocksdb
