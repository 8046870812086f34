// SPDX-License-Identifier: Apache-2.0
#include "query/messages/block_answers.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "query/messages/found_rows.h"

namespace varve::query {
namespace {

using message::block::Bitmap;
using message::block::Block;
using storage::MessagePart;

// Which parts have times that others have, too.
struct Overlaps {
  std::vector<bool> parts;
  // Times at which two blocks only touch, as one has as many messages as it can and the next goes on: their messages
  // are for rows, the others of the blocks are not.
  std::vector<std::int64_t> edges_us;

  [[nodiscard]] bool is_edge(std::int64_t time_us) const { return std::ranges::binary_search(edges_us, time_us); }
};

// Of parts by their first time.
Overlaps overlapping(std::span<const MessagePart> parts) {
  Overlaps out{std::vector<bool>(parts.size()), {}};
  std::size_t reaches = 0;  // the one that ends last of those before
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const MessagePart &part = parts[i], &before = parts[reaches];
    if (part.first_us == before.last_us && part.block && before.block) {
      if (!out.is_edge(part.first_us)) out.edges_us.push_back(part.first_us);  // they ascend
    } else if (part.first_us <= before.last_us) {
      out.parts[i] = out.parts[reaches] = true;
    }
    if (part.last_us > before.last_us) reaches = i;
  }
  return out;
}

Status take_edges(Block& block, const Overlaps& overlaps, Bitmap& found) {
  const auto first = std::ranges::lower_bound(overlaps.edges_us, block.first_us());
  for (auto edge = first; edge != overlaps.edges_us.end() && *edge <= block.last_us(); ++edge) {
    VARVE_ASSIGN_OR_RETURN(const auto times, block.times());
    const auto range = std::ranges::equal_range(times, *edge);
    for (auto at = range.begin(); at != range.end(); ++at) found.reset(static_cast<std::size_t>(at - times.begin()));
  }
  return {};
}

// False: the block cannot tell, or what it has may be in another part, too.
Result<bool> answer_by_block(const MessagePart& part, bool overlaps, const Overlaps& all, const MessageSearch& search,
                             const Deadline& deadline, const BlockSink& sink) {
  VARVE_ASSIGN_OR_RETURN(auto opened, Block::open(part.block));
  if (overlaps && opened.has_ids()) return false;
  VARVE_ASSIGN_OR_RETURN(auto found, find_in(opened, search, [&] { return deadline.check(); }));
  VARVE_RETURN_IF_ERROR(take_edges(opened, all, found));
  if (found.none()) return true;
  return sink(std::make_shared<Block>(std::move(opened)), found);
}

// The rows of these parts, but those at edges or only those of one.
Status give_rows(std::vector<MessagePart> parts, const MessageSearch& search, const Deadline& deadline,
                 const Overlaps* without, const RowSink& row) {
  const auto rows = found_in_parts(std::move(parts), search, [&] { return deadline.check(); });
  while (true) {
    VARVE_ASSIGN_OR_RETURN(const auto found, rows->next());
    if (!found) return {};
    if (without != nullptr && without->is_edge(found->time_us())) continue;
    VARVE_RETURN_IF_ERROR(row(*found));
  }
}

Status give_edge(std::span<const MessagePart> parts, std::int64_t edge_us, const MessageSearch& search,
                 const Deadline& deadline, const RowSink& row) {
  if (edge_us < search.first_us || edge_us > search.last_us) return {};
  MessageSearch at_edge = search;
  at_edge.first_us = at_edge.last_us = edge_us;
  std::vector<MessagePart> some;
  for (const MessagePart& part : parts) {
    if (part.first_us <= edge_us && part.last_us >= edge_us) some.push_back(part);
  }
  return give_rows(std::move(some), at_edge, deadline, nullptr, row);
}

}  // namespace

Status answer_by_blocks(const storage::MessageStore& store, const MessageSearch& search, const Deadline& deadline,
                        const BlockSink& block, const RowSink& row) {
  VARVE_ASSIGN_OR_RETURN(auto parts, store.message_parts(search.tenant, search.first_us, search.last_us));
  std::ranges::sort(parts, {}, &MessagePart::first_us);
  const Overlaps overlaps = overlapping(parts);
  std::vector<MessagePart> rest;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    VARVE_RETURN_IF_ERROR(deadline.check());
    bool answered = false;
    if (parts[i].block) {
      VARVE_ASSIGN_OR_RETURN(answered, answer_by_block(parts[i], overlaps.parts[i], overlaps, search, deadline, block));
    }
    if (!answered) rest.push_back(parts[i]);
  }
  for (const std::int64_t edge_us : overlaps.edges_us) {
    VARVE_RETURN_IF_ERROR(give_edge(parts, edge_us, search, deadline, row));
  }
  return give_rows(std::move(rest), search, deadline, &overlaps, row);
}

}  // namespace varve::query
