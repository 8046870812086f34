// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/erase/run_editor.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "chunk/block.h"
#include "engine/rocksdb/runs/run_cursor.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kBlocksMax = 1024;  // they are held in memory until they are committed

// The numbers of the blocks in which one of the groups may be, ascending.
std::vector<std::size_t> blocks_with(const Run& run, std::span<const std::uint32_t> groups) {
  std::vector<std::size_t> blocks;
  for (const std::uint32_t group : groups) {
    const std::ptrdiff_t at = run.block_of(group);
    if (at >= 0 && (blocks.empty() || blocks.back() != static_cast<std::size_t>(at))) {
      blocks.push_back(static_cast<std::size_t>(at));
    }
  }
  return blocks;
}

}  // namespace

bool RunEditor::suits(const Run& run, std::span<const std::uint32_t> groups) const {
  if (!context_.database.takes_edits()) return false;
  const std::size_t blocks = blocks_with(run, groups).size();
  return blocks <= kBlocksMax && blocks * context_.options.edit_part <= run.first_groups.size();
}

Status RunEditor::edit(const Run& run, std::span<const std::uint32_t> groups, shared::Gather& gather, const Keep& keep,
                       Database::Commit& commit) {
  auto after = std::make_shared<Run>(run);
  ++after->edition;
  Database::Edited edited;
  for (const std::size_t block : blocks_with(run, groups)) {
    VARVE_RETURN_IF_ERROR(context_.pause());
    const std::uint32_t first_group = run.first_groups[block];
    VARVE_ASSIGN_OR_RETURN(auto bytes, rewrite(run, block, gather, keep, *after));
    if (bytes.empty()) std::erase(after->first_groups, first_group);
    edited.blocks.emplace_back(first_group, std::move(bytes));
  }
  if (after->first_groups.empty()) {
    const auto& runs = context_.runs->slots.at(context_.runs->home_of(run.key.slot)).runs;
    commit.removed.push_back(*std::ranges::find(runs, run.key, [](const auto& one) { return one->key; }));
    return {};
  }
  edited.run = std::move(after);
  commit.edited.push_back(std::move(edited));
  return {};
}

// The block without what is deleted; empty if nothing is left. Takes from the counts of the run what goes.
Result<std::string> RunEditor::rewrite(const Run& run, std::size_t block, shared::Gather& gather, const Keep& keep,
                                       Run& after) {
  const std::string key = run.block_key(run.first_groups[block]);
  VARVE_ASSIGN_OR_RETURN(const auto old, context_.database.get(key, nullptr));
  VARVE_ASSIGN_OR_RETURN(const auto opened, chunk::Block::open(std::as_bytes(std::span(*old))));
  chunk::BlockBuilder builder;
  for (std::size_t i = 0; i < opened->groups(); ++i) {
    gather.clear();
    VARVE_RETURN_IF_ERROR(gather.add_chunk(*opened, i));
    gather.finish();
    const std::size_t columns = gather.columns().size();
    const std::size_t samples = gather.times().size() * columns;
    const auto left = keep(model::to_int(opened->group(i)));
    after.samples -= samples;
    after.chunks -= columns;
    if (!left) continue;
    after.samples += left->times.size() * left->columns.size();
    after.chunks += left->columns.size();
    builder.add(*left);
  }
  std::string bytes;
  if (!builder.empty()) {
    const auto finished = builder.finish();
    bytes.assign(reinterpret_cast<const char*>(finished.data()), finished.size());
  }
  after.bytes = after.bytes - old->size() + bytes.size();
  return bytes;
}

}  // namespace varve::engine::rocksdb
