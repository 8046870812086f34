// SPDX-License-Identifier: Apache-2.0
// RunEditor: deletes from the few blocks of a run that hold something to be deleted. The others are not touched, so
// that one series goes from a slot of millions as fast as from a small one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/rocksdb/erase/erasure.h"
#include "engine/rocksdb/runs/run.h"
#include "engine/shared/gather.h"

namespace varve::engine::rocksdb {

// For one thread. Changes are visible only after the commit.
class RunEditor {
 public:
  explicit RunEditor(const EraseContext& context) : context_(context) {}

  // Is this worth it for groups that are deleted from, ascending: are they in a small part of the run's blocks?
  [[nodiscard]] bool suits(const Run& run, std::span<const std::uint32_t> groups) const;

  // What is left of a group, which gather() has; nullopt: nothing. Valid until the next call.
  using Keep = std::function<std::optional<chunk::Fragment>(std::uint32_t group)>;
  // Adds the run to the commit, with its blocks that hold some of the groups written anew; if nothing is left of it,
  // its removal.
  Status edit(const Run& run, std::span<const std::uint32_t> groups, shared::Gather& gather, const Keep& keep,
              Database::Commit& commit);

 private:
  Result<std::string> rewrite(const Run& run, std::size_t block, shared::Gather& gather, const Keep& keep, Run& after);

  const EraseContext& context_;
};

}  // namespace varve::engine::rocksdb
