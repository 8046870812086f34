// SPDX-License-Identifier: Apache-2.0
// MergedRows: the messages of several sources as one, in order. Of messages with the same time and sender's id, which
// senders may repeat, only the one that arrived first is there.
//
// A source is opened when its time comes, so that the first hundred rows of a month open what holds the first hundred.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "base/result.h"
#include "message/row_source.h"

namespace varve::message {

class MergedRows final : public RowSource {
 public:
  using Open = std::function<Result<std::unique_ptr<RowSource>>()>;
  explicit MergedRows(bool newest_first) : newest_first_(newest_first) {}

  // Before the first next(). `bound_us`: none of its rows has an earlier time; with newest_first, a later one.
  void add(std::int64_t bound_us, Open open) { unopened_.push_back({bound_us, std::move(open)}); }

  Result<std::optional<RowView>> next() override;

 private:
  struct Unopened {
    std::int64_t bound_us;
    Open open;
  };
  struct Opened {
    std::unique_ptr<RowSource> source;
    RowView row;
  };
  using Id = std::array<char, kIdBytes>;

  [[nodiscard]] bool comes_later(const Opened& a, const Opened& b) const;
  [[nodiscard]] bool is_due(std::int64_t bound_us) const;
  Status open_due();
  Status advance(std::unique_ptr<RowSource> source);
  Result<std::optional<RowView>> next_of_all();
  // Did a message with this id and time come before? In ascending order.
  bool is_repeat(RowView row);
  Status keep_instant(RowView first);
  RowView take_kept();

  const bool newest_first_;
  bool started_ = false;
  std::vector<Unopened> unopened_;      // the next one last
  std::vector<Opened> heap_;            // the next row's first
  std::unique_ptr<RowSource> current_;  // its row was returned last

  std::int64_t time_us_ = 0;  // of the ids
  std::uint16_t nanos_ = 0;
  std::set<Id> ids_;

  // With newest_first: what has the same time as a row with an id is copied, to see which of a kind came first.
  std::vector<std::byte> kept_;
  std::vector<std::size_t> kept_at_;  // the next one last
};

}  // namespace varve::message
