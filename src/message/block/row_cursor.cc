// SPDX-License-Identifier: Apache-2.0
#include "message/block/row_cursor.h"

#include <algorithm>

namespace varve::message::block {
namespace {

constexpr std::size_t kRowsAtFirst = 128;
// Then more each time, up to these. Rows that are near in time have texts in nearly all frames: each time all of them
// are decoded again.
constexpr std::size_t kTimesMore = 8;
constexpr std::size_t kRowsAtOnce = 8192;

}  // namespace

RowCursor::RowCursor(std::shared_ptr<Block> block, const Bitmap& which, bool newest_first)
    : block_(std::move(block)), at_once_(kRowsAtFirst), newest_first_(newest_first) {
  which.for_each([this](std::uint32_t row) { rest_.push_back(row); });
  if (!newest_first_) std::ranges::reverse(rest_);
}

Status RowCursor::make_some() {
  const std::size_t count = std::min(at_once_, rest_.size());
  at_once_ = std::min(at_once_ * kTimesMore, kRowsAtOnce);
  some_.assign(rest_.end() - static_cast<std::ptrdiff_t>(count), rest_.end());
  rest_.resize(rest_.size() - count);
  if (!newest_first_) std::ranges::reverse(some_);
  made_.clear();
  VARVE_RETURN_IF_ERROR(block_->rows(some_, made_));
  const std::byte* at = made_.bytes().data();
  for (std::size_t i = 0; i < count; ++i) {
    rows_.push_back(at);
    at += RowView{at}.bytes();
  }
  if (!newest_first_) std::ranges::reverse(rows_);
  return {};
}

Result<std::optional<RowView>> RowCursor::next() {
  if (rows_.empty() && rest_.empty()) return std::optional<RowView>();
  if (rows_.empty()) VARVE_RETURN_IF_ERROR(make_some());
  const RowView row{rows_.back()};
  rows_.pop_back();
  return std::optional(row);
}

}  // namespace varve::message::block
