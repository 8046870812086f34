// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/scan/window_reader.h"

namespace varve::engine::rocksdb {

Status WindowReader::read(std::uint32_t group, rollup::Windows& out) {
  out.clear();
  texts_.clear();
  Wanted all;
  all.fill(true);
  VARVE_ASSIGN_OR_RETURN(const bool found, load(group, all));
  if (!found) return {};
  VARVE_RETURN_IF_ERROR(shared::to_windows(starts_, columns_, out, texts_));
  std::erase_if(out, [](const rollup::Window& window) { return window.count == 0; });
  return {};
}

Status WindowReader::read(std::uint32_t group, const storage::WindowFields& fields, storage::WindowColumns& out) {
  out = out.part(0, 0);
  VARVE_ASSIGN_OR_RETURN(const bool found,
                         load(group, {true, fields.first_time, fields.sum, fields.min, fields.max, false}));
  if (!found) return {};
  return shared::to_window_columns(starts_, columns_, fields, unknown_, out);
}

Status WindowReader::read(std::uint32_t group, bool merged, std::vector<shared::WindowHistograms>& out) {
  out.clear();
  VARVE_ASSIGN_OR_RETURN(const bool found, load(group, {true, false, false, merged, merged, merged}));
  if (!found) return {};
  if (!merged) columns_.resize(rollup::columns_of(rollup::Kind::text));
  return shared::to_histograms(starts_, columns_, out);
}

Status WindowReader::read(std::uint32_t group, bool summaries, shared::WindowCounters& out) {
  out = {};
  Wanted counters;
  for (std::size_t c = 0; c < counters.size(); ++c) counters[c] = shared::is_of_counters(c, summaries);
  VARVE_ASSIGN_OR_RETURN(const bool found, load(group, counters));
  if (!found) return {};
  return shared::to_counters(starts_, columns_, summaries, counters_, out);
}

Result<bool> WindowReader::load(std::uint32_t group, const Wanted& wanted) {
  gather_.clear();
  VARVE_ASSIGN_OR_RETURN(const FoundChunks found, find_chunks(readers_, group, gather_));
  if (found.count == 0) return false;
  if (found.count == 1) {
    VARVE_RETURN_IF_ERROR(load_starts(*found.block, found.at));
    columns_.resize(found.block->columns(found.at));
  } else {
    gather_.finish();
    starts_.assign(gather_.times().begin(), gather_.times().end());
    starts_block_ = nullptr;
    columns_.resize(gather_.columns().size());
  }
  VARVE_RETURN_IF_ERROR(shared::check_window_columns(columns_.size()));
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!wanted[c]) continue;
    if (found.count > 1) {
      columns_[c] = shared::decoded(gather_.columns()[c]);
    } else {
      VARVE_RETURN_IF_ERROR(found.block->column(found.at, c, columns_[c]));
    }
  }
  return true;
}

// Series that are written together have the same starts, mostly.
Status WindowReader::load_starts(const chunk::Block& block, std::size_t at) {
  if (starts_block_.get() == &block && starts_number_ == block.times_number(at)) return {};
  starts_block_ = nullptr;
  VARVE_RETURN_IF_ERROR(block.times(at, starts_));
  starts_block_ = block.shared_from_this();
  starts_number_ = block.times_number(at);
  return {};
}

}  // namespace varve::engine::rocksdb
