// SPDX-License-Identifier: Apache-2.0
// Window rows: the windows of one rollup block of 32 series as a chunk, and back (docs/formats/cluster.md).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chunk/block.h"
#include "engine/shared/window_chunk.h"
#include "rollup/window.h"

namespace varve::engine::cassandra {

// Of one series. Bytes of texts are views of what they were made of. Moved, not copied.
struct SeriesWindows {
  rollup::Kind kind = rollup::Kind::gauge;  // of the numbers
  rollup::Windows numbers;
  rollup::Windows texts;
  rollup::PartPool text_parts;  // what windows_of() read of texts, and what is made of it
  [[nodiscard]] bool empty() const { return numbers.empty() && texts.empty(); }
};

// One thread.
class WindowEncoder {
 public:
  // Series in order of the shard's columns. Empty where none has a window.
  std::string encode(std::span<const SeriesWindows> series);

 private:
  shared::WindowChunk chunk_;
  chunk::BlockBuilder builder_;
};

// Numbers of the block's groups.
constexpr model::GroupId numbers_of(unsigned column_in_shard) { return model::GroupId{column_in_shard * 2}; }
constexpr model::GroupId texts_of(unsigned column_in_shard) { return model::GroupId{column_in_shard * 2 + 1}; }

// nullptr: an empty chunk. Errors: corrupt.
Result<std::shared_ptr<const chunk::Block>> open_windows(std::string_view chunk);
// All windows of a series; nothing where there are none. Error: corrupt.
Result<SeriesWindows> windows_of(const chunk::Block& block, unsigned column_in_shard);

}  // namespace varve::engine::cassandra
