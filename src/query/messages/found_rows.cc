// SPDX-License-Identifier: Apache-2.0
#include "query/messages/found_rows.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/regex.h"
#include "message/block/block.h"
#include "message/block/row_cursor.h"
#include "message/matches.h"
#include "message/merged_rows.h"

namespace varve::query {
namespace {

using message::RowSource;
using message::RowView;
using storage::MessagePart;

constexpr std::size_t kRowsBetweenChecks = 4096;

// What the sources of one search share.
struct SearchAsked {
  MessageSearch search;
  std::function<Status()> check;

  [[nodiscard]] bool has_time(std::int64_t time_us) const {
    return time_us >= search.first_us && time_us <= search.last_us;
  }
};

// Rows that lie in memory.
class HeldRows final : public RowSource {
 public:
  explicit HeldRows(std::shared_ptr<const SearchAsked> asked) : asked_(std::move(asked)) {}

  Status read(const MessagePart& part) {
    const MessageSearch& search = asked_->search;
    VARVE_ASSIGN_OR_RETURN(auto read, part.read(search.first_us, search.last_us));
    held_ = std::move(read.held);
    const RegexMeter meter(asked_->check);
    std::size_t seen = 0;
    for (const auto& rows : read.pieces) {
      for (const std::byte *at = rows.data(), *const stop = at + rows.size(); at != stop;) {
        const RowView row{at};
        at += row.bytes();
        if (++seen % kRowsBetweenChecks == 0) VARVE_RETURN_IF_ERROR(asked_->check());
        if (asked_->has_time(row.time_us()) && message::matches(search.condition, row)) rows_.push_back(row);
        if (!meter.status()) return meter.status();
      }
    }
    std::ranges::sort(rows_, {}, message::time_order);
    if (!search.newest_first) std::ranges::reverse(rows_);  // the next one last
    return {};
  }

  Result<std::optional<RowView>> next() override {
    if (rows_.empty()) return std::optional<RowView>();
    const RowView row = rows_.back();
    rows_.pop_back();
    return std::optional(row);
  }

 private:
  const std::shared_ptr<const SearchAsked> asked_;
  std::shared_ptr<const void> held_;
  std::vector<RowView> rows_;
};

Result<std::unique_ptr<RowSource>> open_block(const std::shared_ptr<const SearchAsked>& asked,
                                              const MessagePart& part) {
  VARVE_ASSIGN_OR_RETURN(auto opened, message::block::Block::open(part.block));
  const auto block = std::make_shared<message::block::Block>(std::move(opened));
  VARVE_ASSIGN_OR_RETURN(const auto found, find_in(*block, asked->search, asked->check));
  return std::make_unique<message::block::RowCursor>(block, found, asked->search.newest_first);
}

Result<std::unique_ptr<RowSource>> open_part(const std::shared_ptr<const SearchAsked>& asked, const MessagePart& part) {
  VARVE_RETURN_IF_ERROR(asked->check());
  if (part.block != nullptr) return open_block(asked, part);
  auto rows = std::make_unique<HeldRows>(asked);
  VARVE_RETURN_IF_ERROR(rows->read(part));
  return rows;
}

}  // namespace

Result<std::unique_ptr<RowSource>> found_rows(const storage::MessageStore& store, const MessageSearch& search,
                                              std::function<Status()> check) {
  VARVE_ASSIGN_OR_RETURN(auto parts, store.message_parts(search.tenant, search.first_us, search.last_us));
  return found_in_parts(std::move(parts), search, std::move(check));
}

Result<std::optional<std::int64_t>> oldest_message(const storage::MessageStore& store, const std::string& tenant,
                                                   std::function<Status()> check) {
  using Us = std::numeric_limits<std::int64_t>;
  VARVE_ASSIGN_OR_RETURN(const auto rows, found_rows(store, {tenant, Us::min(), Us::max(), {}}, std::move(check)));
  VARVE_ASSIGN_OR_RETURN(const auto first, rows->next());
  return first ? std::optional(first->time_us()) : std::nullopt;
}

std::unique_ptr<RowSource> found_in_parts(std::vector<MessagePart> parts, const MessageSearch& search,
                                          std::function<Status()> check) {
  const auto asked = std::make_shared<const SearchAsked>(SearchAsked{search, std::move(check)});
  auto merged = std::make_unique<message::MergedRows>(search.newest_first);
  for (auto& part : parts) {
    const std::int64_t bound_us = search.newest_first ? part.last_us : part.first_us;
    merged->add(bound_us, [asked, held = std::move(part)] { return open_part(asked, held); });
  }
  return merged;
}

}  // namespace varve::query
