// SPDX-License-Identifier: Apache-2.0
#include "query/messages/message_search.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

#include "message/matches.h"

namespace varve::query {
namespace {

using message::RowView;
using storage::MessagePart;

constexpr std::size_t kRowsBetweenLooks = 4096;  // at the clock

struct Found {
  std::vector<RowView> rows;
  std::vector<std::shared_ptr<const void>> held;  // what the rows lie in
};

// Adds rows of the part that fulfil the condition, in any order.
Status find_rows(const MessagePart& part, const MessageSearch& search, const Deadline& deadline, Found& found) {
  std::size_t seen = 0;
  VARVE_ASSIGN_OR_RETURN(auto read, part.read(search.first_us, search.last_us));
  found.held.push_back(std::move(read.held));
  for (const auto& rows : read.pieces) {
    for (const std::byte *at = rows.data(), *const stop = at + rows.size(); at != stop;) {
      const RowView row{at};
      at += row.bytes();
      if (++seen % kRowsBetweenLooks == 0) VARVE_RETURN_IF_ERROR(deadline.check());
      if (row.time_us() < search.first_us || row.time_us() > search.last_us) continue;
      if (message::matches(search.condition, row)) found.rows.push_back(row);
    }
  }
  return {};
}

// The sender's own id; nullopt: it gave none, and no other message is the same.
std::optional<std::string_view> own_id(RowView row) {
  const auto cell = row.cell(message::Column::id);
  if (!cell) return std::nullopt;
  return cell->text;
}

// Of messages with the same time and sender's id the first one stays: senders may repeat.
class Repeats {
 public:
  // In order. Was it there before?
  bool holds(RowView row) {
    const auto id = own_id(row);
    if (!id) return false;
    if (row.time_us() != time_us_ || row.nanos() != nanos_) ids_.clear();
    time_us_ = row.time_us();
    nanos_ = row.nanos();
    if (std::ranges::find(ids_, *id) != ids_.end()) return true;
    ids_.push_back(*id);
    return false;
  }

 private:
  std::int64_t time_us_ = 0;
  std::uint16_t nanos_ = 0;
  std::vector<std::string_view> ids_;  // of messages at this time
};

// Parts whose times overlap, directly or through others. False: the sink has enough.
Result<bool> search_together(std::span<const MessagePart> parts, const MessageSearch& search, const Deadline& deadline,
                             const MessageSink& sink) {
  Found found;
  for (const MessagePart& part : parts) VARVE_RETURN_IF_ERROR(find_rows(part, search, deadline, found));
  std::vector<RowView>& rows = found.rows;
  std::ranges::sort(rows, {}, message::time_order);
  Repeats repeats;
  std::erase_if(rows, [&](RowView row) { return repeats.holds(row); });
  if (search.newest_first) std::ranges::reverse(rows);
  for (const RowView row : rows) {
    VARVE_ASSIGN_OR_RETURN(const bool more, sink(row));
    if (!more) return false;
  }
  return true;
}

}  // namespace

Status search(const storage::MessageStore& store, const MessageSearch& search, const Deadline& deadline,
              const MessageSink& sink) {
  VARVE_ASSIGN_OR_RETURN(auto parts, store.message_parts(search.tenant, search.first_us, search.last_us));
  std::ranges::sort(parts, {}, [](const MessagePart& part) { return std::tuple(part.first_us, part.last_us); });
  std::vector<std::span<const MessagePart>> groups;
  for (std::size_t first = 0, next = 0; first < parts.size(); first = next) {
    std::int64_t last_us = parts[first].last_us;
    for (next = first + 1; next < parts.size() && parts[next].first_us <= last_us; ++next) {
      last_us = std::max(last_us, parts[next].last_us);
    }
    groups.emplace_back(parts.begin() + static_cast<std::ptrdiff_t>(first), next - first);
  }
  if (search.newest_first) std::ranges::reverse(groups);
  for (const auto& group : groups) {
    VARVE_RETURN_IF_ERROR(deadline.check());
    VARVE_ASSIGN_OR_RETURN(const bool more, search_together(group, search, deadline, sink));
    if (!more) return {};
  }
  return {};
}

}  // namespace varve::query
