// SPDX-License-Identifier: Apache-2.0
// MadeIds: of messages whose ids are computed from what they say, tells equal ones of a request apart.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "message/builder.h"
#include "message/id.h"

namespace varve::message {

// With which repeat the row's id is computed from its content, also if somebody gave that id; nothing: it is another
// id, or there is none.
std::optional<std::uint32_t> repeat_of_id(RowView row);

// Of one request. Only what has the same time can be equal: as long as times ascend, contents are not looked at.
// For one thread.
class MadeIds {
 public:
  explicit MadeIds(const Batch& batch) : noted_to_(batch.bytes().size()), first_at_(noted_to_) {}

  // The batch's last row, whose id is computed (repeat 0), gets the repeat that it is. Called for each such row of the
  // request, in their order. More than kRepeatMax: it gets a cell.
  void number(Batch& batch);

 private:
  using Instant = std::tuple<std::int64_t, std::uint16_t>;
  struct Seen {
    std::uint64_t hash = 0;
    std::uint32_t times = 0;  // 0: the place is free
  };
  void note_skipped(const Batch& batch, std::size_t end);
  Seen& seen(std::uint64_t hash);
  Seen& place_of(std::uint64_t hash);
  void grow();

  bool ascends_ = true;
  std::optional<Instant> last_;
  // Rows are named by where they begin in the batch. Those of the last instant from here on are not noted.
  std::size_t noted_to_;
  const std::size_t first_at_;
  std::vector<Seen> places_;  // a power of two, at most half of it taken
  std::size_t taken_ = 0;
};

}  // namespace varve::message
