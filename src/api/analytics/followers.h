// SPDX-License-Identifier: Apache-2.0
// Followers: who follows what. All who ask the same of the same tenant share one question.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "api/analytics/followed.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "write/message_feed.h"

namespace varve::api {

// Thread-safe.
class Followers : public std::enable_shared_from_this<Followers> {
 public:
  static constexpr std::size_t kMost = 10'000;
  static constexpr std::size_t kQuestionsMost = 1'000;

  // What is referred to outlives this and every follower.
  Followers(write::MessageNews& news, std::shared_ptr<MemoryLedger> ledger, const Clock& clock, Metrics& metrics);
  static void register_metrics(const std::shared_ptr<Followers>& followers, Metrics& metrics);

  // He is given what is appended from now on. `body`: that of the question. Error: unavailable (too many).
  Result<std::shared_ptr<Follower>> add(const std::string& tenant, std::string_view body,
                                        const language::analytics::AnalyticsQuery& asked);

  [[nodiscard]] write::MessageNews& news() const { return news_; }

 private:
  struct Question;  // listens
  void removed(const std::string& key);
  [[nodiscard]] double count(bool questions) const;

  [[nodiscard]] bool may_add(const std::string& tenant, bool is_new) const VARVE_REQUIRES(mutex_);

  write::MessageNews& news_;
  const std::shared_ptr<MemoryLedger> ledger_;
  const Clock& clock_;
  Counter& evaluations_;
  Counter& dropped_;
  struct Shared {
    std::shared_ptr<Question> question;
    std::size_t followers = 0;
  };
  mutable Mutex mutex_;
  std::size_t followers_ VARVE_GUARDED_BY(mutex_) = 0;
  std::map<std::string, Shared, std::less<>> questions_ VARVE_GUARDED_BY(mutex_);
};

// What two bodies have in common that ask the same of each message: they may differ in space, in the order of members,
// in the times and in the limit. `body` is one that parse_query() takes.
std::string question_key(std::string_view body);

}  // namespace varve::api
