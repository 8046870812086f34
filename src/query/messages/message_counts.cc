// SPDX-License-Identifier: Apache-2.0
#include "query/messages/message_counts.h"

#include <vector>

#include "query/messages/block_answers.h"

namespace varve::query {
namespace {

using message::block::Bitmap;
using message::block::Block;

class GroupCounting {
 public:
  GroupCounting(std::span<const message::block::GroupColumn> columns, const GroupSink& sink)
      : columns_(columns), sink_(sink) {}

  Result<bool> add(Block& block, const Bitmap& found) {
    groups_.clear();
    times_.clear();
    VARVE_ASSIGN_OR_RETURN(const bool can, block.groups(columns_, found, groups_, times_));
    if (!can) return false;
    const std::byte* at = groups_.bytes().data();
    for (const std::uint64_t times : times_) {
      const message::RowView row{at};
      VARVE_RETURN_IF_ERROR(sink_(row, times));
      at += row.bytes();
    }
    return true;
  }

 private:
  const std::span<const message::block::GroupColumn> columns_;
  const GroupSink& sink_;
  message::Batch groups_;
  std::vector<std::uint64_t> times_;
};

}  // namespace

Status count_groups(const storage::MessageStore& store, const MessageSearch& search,
                    std::span<const message::block::GroupColumn> columns, const Deadline& deadline,
                    const GroupSink& sink) {
  GroupCounting counting(columns, sink);
  return answer_by_blocks(
      store, search, deadline,
      [&](const std::shared_ptr<Block>& block, const Bitmap& found) { return counting.add(*block, found); },
      [&](message::RowView row) { return sink(row, 1); });
}

}  // namespace varve::query
