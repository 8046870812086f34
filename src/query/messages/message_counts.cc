// SPDX-License-Identifier: Apache-2.0
#include "query/messages/message_counts.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "query/messages/found_rows.h"

namespace varve::query {
namespace {

using message::block::Block;
using message::block::GroupColumn;
using storage::MessagePart;

// Parts by their first time: does the time of each overlap that of another one?
std::vector<bool> overlapping(std::span<const MessagePart> parts) {
  std::vector<bool> overlap(parts.size());
  std::size_t reaches = 0;  // the one that ends last of those before
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].first_us <= parts[reaches].last_us) overlap[i] = overlap[reaches] = true;
    if (parts[i].last_us > parts[reaches].last_us) reaches = i;
  }
  return overlap;
}

class GroupCounting {
 public:
  GroupCounting(const MessageSearch& search, std::span<const GroupColumn> columns, const GroupSink& sink)
      : search_(search), columns_(columns), sink_(sink) {}

  // False: the block cannot tell, or what it has may be in another part, too.
  Result<bool> block(const MessagePart& part, bool overlaps) {
    VARVE_ASSIGN_OR_RETURN(Block block, Block::open(part.block));
    if (overlaps && block.has_ids()) return false;
    VARVE_ASSIGN_OR_RETURN(const auto found, find_in(block, search_));
    if (found.none()) return true;
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
  const MessageSearch& search_;
  const std::span<const GroupColumn> columns_;
  const GroupSink& sink_;
  message::Batch groups_;
  std::vector<std::uint64_t> times_;
};

}  // namespace

Status count_groups(const storage::MessageStore& store, const MessageSearch& search,
                    std::span<const GroupColumn> columns, const Deadline& deadline, const GroupSink& sink) {
  VARVE_ASSIGN_OR_RETURN(auto parts, store.message_parts(search.tenant, search.first_us, search.last_us));
  std::ranges::sort(parts, {}, &MessagePart::first_us);
  const auto overlap = overlapping(parts);
  GroupCounting counting(search, columns, sink);
  std::vector<MessagePart> rest;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    VARVE_RETURN_IF_ERROR(deadline.check());
    bool counted = false;
    if (parts[i].block) {
      VARVE_ASSIGN_OR_RETURN(counted, counting.block(parts[i], overlap[i]));
    }
    if (!counted) rest.push_back(std::move(parts[i]));
  }
  const auto rows = found_in_parts(std::move(rest), search, [&] { return deadline.check(); });
  while (true) {
    VARVE_ASSIGN_OR_RETURN(const auto row, rows->next());
    if (!row) return {};
    VARVE_RETURN_IF_ERROR(sink(*row, 1));
  }
}

}  // namespace varve::query
