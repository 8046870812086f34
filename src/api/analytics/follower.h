// SPDX-License-Identifier: Apache-2.0
// Follower: one who follows a query, with the rows that it has not taken yet.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "api/shared/http.h"
#include "base/mutex.h"
#include "query/messages/subscriptions.h"

namespace varve::api {

// Thread-safe.
class Follower final : public http::Feed, public query::Subscriber {
 public:
  static constexpr std::size_t kWaitingBytesMax = std::size_t{4} << 20;

  // Of messages from `first_us` on.
  explicit Follower(std::int64_t first_us) : first_us_(first_us) {}

  bool wait(std::function<void()> ready) override;
  bool take(std::string& piece) override;

  bool give(const std::shared_ptr<const query::Findings>& found) override;
  // The error is the last line.
  void fail_with(const Error& error, std::string_view missed = {}) override;
  // At most so many lines are taken from now on.
  void limit(std::uint64_t lines);

 private:
  void append(std::string& piece, const query::Findings& found) VARVE_REQUIRES(mutex_);

  const std::int64_t first_us_;
  Mutex mutex_;
  std::deque<std::shared_ptr<const query::Findings>> waiting_ VARVE_GUARDED_BY(mutex_);
  std::size_t bytes_ VARVE_GUARDED_BY(mutex_) = 0;
  std::uint64_t left_ VARVE_GUARDED_BY(mutex_) = UINT64_MAX;
  bool ended_ VARVE_GUARDED_BY(mutex_) = false;
  std::string last_line_ VARVE_GUARDED_BY(mutex_);
  std::function<void()> ready_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::api
