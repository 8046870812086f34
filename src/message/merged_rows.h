// SPDX-License-Identifier: Apache-2.0
// MergedRows: the messages of several sources as one, in order. Of messages with the same time and lasting id (id.h),
// which senders may repeat, only the one that arrived first is there.
//
// A source is opened when its time comes, so that the first hundred rows of a month open what holds the first hundred.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "base/result.h"
#include "message/id.h"
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

  // In ascending order. Ids are looked at only where several messages have the same time.
  std::vector<std::byte> first_;  // of its instant with a lasting id; a copy
  std::set<Id> ids_;              // of that instant; none: there is only the first

  // With newest_first: what has the same time as a row with an id is copied, to see which of a kind came first.
  std::vector<std::byte> kept_;
  std::vector<std::size_t> kept_at_;  // the next one last
};

}  // namespace varve::message
