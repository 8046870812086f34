// SPDX-License-Identifier: Apache-2.0
// Followed: a question that is asked of every message that comes, once, for all who follow it. Follower: one of them,
// with the rows that he has not taken yet; of rows that several wait for there is one copy.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/shared/http.h"
#include "api/shared/recent_ids.h"
#include "base/clock.h"
#include "base/memory_ledger.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "codec/hash.h"
#include "language/analytics/query.h"
#include "language/analytics/rows.h"

namespace varve::api {

// What makes a message the same as another one: time and sender's id, or else all that it has but its arrival.
codec::Hash128 identity_of(message::RowView row);

// Rows of the answer that one batch gave, a line each.
struct FollowedLines {
  struct Line {
    std::size_t end;  // in text
    std::int64_t time_us;
    codec::Hash128 message;
    bool is_first;  // of its message
  };
  explicit FollowedLines(const std::shared_ptr<MemoryLedger>& ledger) : held(ledger, MemoryLedger::Kind::answer) {}
  std::string text;
  std::vector<Line> lines;
  std::int64_t first_us = 0;  // the earliest time
  MemoryLedger::Account held;
};

// Thread-safe.
class Follower final : public http::Feed {
 public:
  static constexpr std::size_t kWaitingBytesMax = std::size_t{4} << 20;

  // Of messages from `first_us` on. `gone` is called at the end.
  Follower(std::int64_t first_us, std::function<void()> gone) : first_us_(first_us), gone_(std::move(gone)) {}
  ~Follower() override { gone_(); }

  bool wait(std::function<void()> ready) override;
  bool take(std::string& piece) override;

  // False: he has not taken what he was given before, which is more than may wait; he is told.
  bool give(const std::shared_ptr<const FollowedLines>& lines);
  // The error is the last line.
  void fail_with(const Error& error);

  // The messages that wait.
  [[nodiscard]] std::vector<codec::Hash128> waiting() const;
  // At most so many lines are taken from now on.
  void limit(std::uint64_t lines);

 private:
  void append(std::string& piece, const FollowedLines& lines) VARVE_REQUIRES(mutex_);
  void wake(std::function<void()> ready) const;

  const std::int64_t first_us_;
  const std::function<void()> gone_;
  mutable Mutex mutex_;
  std::deque<std::shared_ptr<const FollowedLines>> waiting_ VARVE_GUARDED_BY(mutex_);
  std::size_t bytes_ VARVE_GUARDED_BY(mutex_) = 0;
  std::uint64_t left_ VARVE_GUARDED_BY(mutex_) = UINT64_MAX;
  bool ended_ VARVE_GUARDED_BY(mutex_) = false;
  std::string last_line_ VARVE_GUARDED_BY(mutex_);
  std::function<void()> ready_ VARVE_GUARDED_BY(mutex_);
};

class Followed {
 public:
  Followed(language::analytics::AnalyticsQuery question, std::shared_ptr<MemoryLedger> ledger, const Clock& clock,
           Counter& evaluations, Counter& dropped);

  void add(std::weak_ptr<Follower> follower);
  // By one thread.
  void look_at(std::span<const std::byte> rows);
  void fail_all(const Error& error);

 private:
  Result<std::shared_ptr<const FollowedLines>> lines_of(std::span<const std::byte> rows);
  std::vector<std::shared_ptr<Follower>> followers();

  const language::analytics::AnalyticsQuery question_;
  const std::shared_ptr<MemoryLedger> ledger_;
  const Clock& clock_;
  Counter& evaluations_;
  Counter& dropped_;
  language::analytics::MessageRows rows_;
  RecentIds recent_;
  Mutex mutex_;
  std::vector<std::weak_ptr<Follower>> followers_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::api
