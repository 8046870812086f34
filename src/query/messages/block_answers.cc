// SPDX-License-Identifier: Apache-2.0
#include "query/messages/block_answers.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "query/messages/found_rows.h"

namespace varve::query {
namespace {

using message::block::Block;
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

// False: the block cannot tell, or what it has may be in another part, too.
Result<bool> answer_by_block(const MessagePart& part, bool overlaps, const MessageSearch& search,
                             const Deadline& deadline, const BlockSink& sink) {
  VARVE_ASSIGN_OR_RETURN(auto opened, Block::open(part.block));
  if (overlaps && opened.has_ids()) return false;
  VARVE_ASSIGN_OR_RETURN(const auto found, find_in(opened, search, [&] { return deadline.check(); }));
  if (found.none()) return true;
  return sink(std::make_shared<Block>(std::move(opened)), found);
}

}  // namespace

Status answer_by_blocks(const storage::MessageStore& store, const MessageSearch& search, const Deadline& deadline,
                        const BlockSink& block, const RowSink& row) {
  VARVE_ASSIGN_OR_RETURN(auto parts, store.message_parts(search.tenant, search.first_us, search.last_us));
  std::ranges::sort(parts, {}, &MessagePart::first_us);
  const auto overlap = overlapping(parts);
  std::vector<MessagePart> rest;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    VARVE_RETURN_IF_ERROR(deadline.check());
    bool answered = false;
    if (parts[i].block) {
      VARVE_ASSIGN_OR_RETURN(answered, answer_by_block(parts[i], overlap[i], search, deadline, block));
    }
    if (!answered) rest.push_back(std::move(parts[i]));
  }
  const auto rows = found_in_parts(std::move(rest), search, [&] { return deadline.check(); });
  while (true) {
    VARVE_ASSIGN_OR_RETURN(const auto found, rows->next());
    if (!found) return {};
    VARVE_RETURN_IF_ERROR(row(*found));
  }
}

}  // namespace varve::query
