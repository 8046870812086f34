// SPDX-License-Identifier: Apache-2.0
// Erase mark: what one delete of messages has erased of a slot (docs/formats/cluster.md, docs/decisions/0042). Whether
// a message is erased depends on the message and the mark alone, so a mark may be applied anywhere, and twice: its time
// and condition, and that it arrived when the delete saw it: of each process up to a number.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "message/block/block.h"
#include "message/condition.h"
#include "message/row.h"

namespace varve::engine::cassandra {

struct EraseMark {
  std::int64_t version = 0;  // names it within its slot
  std::int64_t first_us = 0, last_us = 0;
  message::Condition condition;
  // By the bits of a process in an arrival (message_arrival()): the greatest arrival that the delete saw.
  std::map<std::uint16_t, std::uint64_t> seen;

  void see(std::uint64_t arrival);
  [[nodiscard]] bool has_seen(std::uint64_t arrival) const;
  [[nodiscard]] bool overlaps(std::int64_t first, std::int64_t last) const {
    return first <= last_us && last >= first_us;
  }
  // Is it one that the mark is about, whenever it came? And is it erased?
  [[nodiscard]] bool fits(message::RowView row) const;
  [[nodiscard]] bool erases(message::RowView row) const { return has_seen(row.arrival()) && fits(row); }
};

bool is_erased(std::span<const EraseMark> marks, message::RowView row);
// Which messages of the block one of the marks erases. Errors: those of reading the block.
Result<message::block::Bitmap> erased_in(message::block::Block& block, std::span<const EraseMark> marks);
// Which of them the mark is about, whenever they came.
Result<message::block::Bitmap> fitting_in(message::block::Block& block, const EraseMark& mark);

// But for the version.
std::string encode_erase_mark(const EraseMark& mark);
// Errors: corrupt, unsupported.
Result<EraseMark> decode_erase_mark(std::string_view blob);

}  // namespace varve::engine::cassandra
