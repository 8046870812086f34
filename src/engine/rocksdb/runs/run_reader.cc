// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/run_reader.h"

#include "chunk/block.h"

namespace varve::engine::rocksdb {

namespace {

// Who has an older edition of the run reads its blocks from a snapshot, and keeps them beside those of today.
std::string cache_key(const Run& run, std::string block_key) {
  if (run.edition > 0) block_key.append(reinterpret_cast<const char*>(&run.edition), sizeof run.edition);
  return block_key;
}

}  // namespace

Result<BlockCache::Value> cached_block(const ScanSource& source, const Run& run, std::size_t number) {
  const std::string key = run.block_key(run.first_groups[number]);
  const std::string kept_as = cache_key(run, key);
  auto block = source.cache.find(kept_as);
  if (block != nullptr) return block;
  VARVE_ASSIGN_OR_RETURN(const auto bytes, source.database.get(key, source.view.snapshot.get()));
  VARVE_ASSIGN_OR_RETURN(block, chunk::Block::open(std::as_bytes(std::span(*bytes))));
  if (source.fills_cache) source.cache.put(kept_as, block, block->memory_bytes());
  return block;
}

Result<const chunk::Block*> RunReader::block(std::uint32_t group) {
  const auto& firsts = run_.first_groups;
  const bool same =
      at_ >= 0 && group >= firsts[static_cast<std::size_t>(at_)] &&
      (static_cast<std::size_t>(at_) + 1 == firsts.size() || group < firsts[static_cast<std::size_t>(at_) + 1]);
  if (same) return block_.get();
  const std::ptrdiff_t at = run_.block_of(group);
  if (at < 0) return nullptr;
  VARVE_ASSIGN_OR_RETURN(auto block, cached_block(source_, run_, static_cast<std::size_t>(at)));
  leave_block();
  if (block_ != nullptr) older_.push_back(std::move(block_));
  block_ = std::move(block);
  bytes_ = block_->memory_bytes();
  at_ = at;
  return block_.get();
}

// What was decoded of it stays with it.
void RunReader::leave_block() {
  if (block_ == nullptr) return;
  const std::size_t bytes = block_->memory_bytes();
  if (bytes == bytes_) return;
  const std::uint32_t first = run_.first_groups[static_cast<std::size_t>(at_)];
  source_.cache.resize(cache_key(run_, run_.block_key(first)), block_.get(), bytes);
}

Result<FoundChunks> find_chunks(std::span<RunReader> readers, std::uint32_t group, shared::Gather& gather) {
  FoundChunks found;
  for (RunReader& reader : readers) {
    reader.release();
    VARVE_ASSIGN_OR_RETURN(const chunk::Block* block, reader.block(group));
    if (block == nullptr) continue;
    const std::size_t at = block->find(model::GroupId{group});
    if (at == block->groups()) continue;
    if (++found.count == 1) {
      found.block = block;
      found.at = at;
      continue;
    }
    if (found.count == 2) VARVE_RETURN_IF_ERROR(gather.add_chunk(*found.block, found.at));
    VARVE_RETURN_IF_ERROR(gather.add_chunk(*block, at));
  }
  return found;
}

Result<bool> any_holds(const ScanSource& source, std::span<const std::shared_ptr<const Run>> runs,
                       std::span<const std::uint32_t> groups, model::TimeRange range) {
  for (const auto& run : runs) {
    if (run->first_time >= range.last || run->last_time < range.first) continue;
    RunReader reader(source, *run);
    for (const std::uint32_t group : groups) {
      VARVE_ASSIGN_OR_RETURN(const chunk::Block* block, reader.block(group));
      if (block == nullptr) continue;
      const std::size_t at = block->find(model::GroupId{group});
      if (at < block->groups() && block->first_time(at) < range.last && block->last_time(at) >= range.first) {
        return true;
      }
      reader.release();
    }
  }
  return false;
}

Status add_column(std::span<RunReader> readers, std::uint32_t group, std::uint16_t column, shared::SeriesMerge& merge) {
  for (RunReader& reader : readers) {
    VARVE_ASSIGN_OR_RETURN(const chunk::Block* block, reader.block(group));
    if (block == nullptr) continue;
    const std::size_t at = block->find(model::GroupId{group});
    if (at != block->groups()) VARVE_RETURN_IF_ERROR(merge.add_chunk(*block, at, column, reader.run().key.run));
  }
  return {};
}

}  // namespace varve::engine::rocksdb
