// SPDX-License-Identifier: Apache-2.0
#include "query/messages/message_search.h"

#include <algorithm>

#include "base/regex.h"
#include "query/messages/found_rows.h"

namespace varve::query {

namespace {

Result<message::block::Bitmap> find_unbounded(message::block::Block& block, const MessageSearch& search) {
  if (search.first_us <= block.first_us() && search.last_us >= block.last_us()) return block.find(search.condition);
  block.expect(search.condition);
  VARVE_ASSIGN_OR_RETURN(const auto times, block.times());
  const auto first = std::ranges::lower_bound(times, search.first_us) - times.begin();
  const auto end = std::ranges::upper_bound(times, search.last_us) - times.begin();
  message::block::Bitmap among(block.messages());
  for (auto row = first; row < end; ++row) among.set(static_cast<std::size_t>(row));
  return block.find(search.condition, among);
}

}  // namespace

Result<message::block::Bitmap> find_in(message::block::Block& block, const MessageSearch& search,
                                       const std::function<Status()>& go_on) {
  const RegexMeter meter(go_on);
  auto found = find_unbounded(block, search);
  VARVE_RETURN_IF_ERROR(meter.status());
  return found;
}

Status search(const storage::MessageStore& store, const MessageSearch& search, const Deadline& deadline,
              const MessageSink& sink) {
  VARVE_RETURN_IF_ERROR(deadline.check());
  VARVE_ASSIGN_OR_RETURN(const auto rows, found_rows(store, search, [&] { return deadline.check(); }));
  while (true) {
    VARVE_ASSIGN_OR_RETURN(const auto row, rows->next());
    if (!row) return {};
    VARVE_ASSIGN_OR_RETURN(const bool more, sink(*row));
    if (!more) return {};
  }
}

}  // namespace varve::query
