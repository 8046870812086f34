// SPDX-License-Identifier: Apache-2.0
#include "query/messages/message_search.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "message/block/row_cursor.h"
#include "message/matches.h"
#include "message/merged_rows.h"

namespace varve::query {
namespace {

using message::RowSource;
using message::RowView;
using storage::MessagePart;

constexpr std::size_t kRowsBetweenLooks = 4096;  // at the clock

// Rows of a part that fulfil the condition.
class FoundRows final : public RowSource {
 public:
  FoundRows(std::vector<RowView> rows, std::shared_ptr<const void> held)
      : rows_(std::move(rows)), held_(std::move(held)) {}
  Result<std::optional<RowView>> next() override {
    return at_ == rows_.size() ? std::optional<RowView>() : std::optional(rows_[at_++]);
  }

 private:
  const std::vector<RowView> rows_;
  const std::shared_ptr<const void> held_;  // what they lie in
  std::size_t at_ = 0;
};

Result<std::unique_ptr<RowSource>> find_rows(const MessagePart& part, const MessageSearch& search,
                                             const Deadline& deadline) {
  std::size_t seen = 0;
  VARVE_ASSIGN_OR_RETURN(auto read, part.read(search.first_us, search.last_us));
  std::vector<RowView> found;
  for (const auto& rows : read.pieces) {
    for (const std::byte *at = rows.data(), *const stop = at + rows.size(); at != stop;) {
      const RowView row{at};
      at += row.bytes();
      if (++seen % kRowsBetweenLooks == 0) VARVE_RETURN_IF_ERROR(deadline.check());
      if (row.time_us() < search.first_us || row.time_us() > search.last_us) continue;
      if (message::matches(search.condition, row)) found.push_back(row);
    }
  }
  std::ranges::sort(found, {}, message::time_order);
  if (search.newest_first) std::ranges::reverse(found);
  return std::make_unique<FoundRows>(std::move(found), std::move(read.held));
}

Result<std::unique_ptr<RowSource>> find_in_block(const MessagePart& part, const MessageSearch& search,
                                                 const Deadline& deadline) {
  VARVE_RETURN_IF_ERROR(deadline.check());
  VARVE_ASSIGN_OR_RETURN(auto opened, message::block::Block::open(part.block));
  const auto block = std::make_shared<message::block::Block>(std::move(opened));
  VARVE_ASSIGN_OR_RETURN(const auto found, find_in(*block, search));
  return std::make_unique<message::block::RowCursor>(block, found, search.newest_first);
}

}  // namespace

Result<message::block::Bitmap> find_in(message::block::Block& block, const MessageSearch& search) {
  if (search.first_us <= block.first_us() && search.last_us >= block.last_us()) return block.find(search.condition);
  VARVE_ASSIGN_OR_RETURN(const auto times, block.times());
  const auto first = std::ranges::lower_bound(times, search.first_us) - times.begin();
  const auto end = std::ranges::upper_bound(times, search.last_us) - times.begin();
  message::block::Bitmap among(block.messages());
  for (auto row = first; row < end; ++row) among.set(static_cast<std::size_t>(row));
  return block.find(search.condition, among);
}

Status search(const storage::MessageStore& store, const MessageSearch& search, const Deadline& deadline,
              const MessageSink& sink) {
  VARVE_ASSIGN_OR_RETURN(const auto parts, store.message_parts(search.tenant, search.first_us, search.last_us));
  return search_parts(parts, search, deadline, sink);
}

Status search_parts(std::span<const MessagePart> parts, const MessageSearch& search, const Deadline& deadline,
                    const MessageSink& sink) {
  message::MergedRows rows(search.newest_first);
  for (const MessagePart& part : parts) {
    rows.add(search.newest_first ? part.last_us : part.first_us, [&]() -> Result<std::unique_ptr<RowSource>> {
      return part.block ? find_in_block(part, search, deadline) : find_rows(part, search, deadline);
    });
  }
  for (std::size_t seen = 0;; ++seen) {
    if (seen % kRowsBetweenLooks == 0) VARVE_RETURN_IF_ERROR(deadline.check());
    VARVE_ASSIGN_OR_RETURN(const auto row, rows.next());
    if (!row) return {};
    VARVE_ASSIGN_OR_RETURN(const bool more, sink(*row));
    if (!more) return {};
  }
}

}  // namespace varve::query
