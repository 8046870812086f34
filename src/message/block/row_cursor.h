// SPDX-License-Identifier: Apache-2.0
// RowCursor: rows of a block, one after the other. They are made some at a time: few at first, for those who take few.
#pragma once

#include <memory>
#include <vector>

#include "message/block/block.h"
#include "message/row_source.h"

namespace varve::message::block {

class RowCursor final : public RowSource {
 public:
  // Those that `which` has. While it is used nobody else uses the block.
  RowCursor(std::shared_ptr<Block> block, const Bitmap& which, bool newest_first);

  Result<std::optional<RowView>> next() override;

 private:
  Status make_some();

  const std::shared_ptr<Block> block_;
  std::vector<std::uint32_t> rest_;  // the next one last
  std::size_t at_once_;
  std::vector<std::uint32_t> some_;
  const bool newest_first_;
  Batch made_;                          // of some_, ascending
  std::vector<const std::byte*> rows_;  // of them, the next one last
};

}  // namespace varve::message::block
