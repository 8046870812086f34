// SPDX-License-Identifier: Apache-2.0
// Tails: who follows which Loki query. All who ask the same of the same tenant share one question, which is asked of
// each message once; of what is sent to several there is one copy.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/shared/recent_ids.h"
#include "base/clock.h"
#include "base/memory_ledger.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "http/websocket_feed.h"
#include "language/logql/labels.h"
#include "language/logql/syntax.h"
#include "message/condition.h"
#include "message/row.h"
#include "write/message_feed.h"

namespace varve::api {

// What makes a message the same as another: time and sender's id, or else all that it has but its arrival.
using TailIdentity = std::pair<std::uint64_t, std::uint64_t>;
TailIdentity tail_identity_of(message::RowView row);

// A query of lines, and what of it the store is asked.
struct TailQuery {
  language::logql::LogQuery query;
  message::Condition condition;
};

// Lines of one batch, as a message of Loki's tail: {"streams":[…],"dropped_entries":[]}
class TailLines {
 public:
  // Is the message one? Then it is added. With `recent`, not if it has a sender's id that is among these.
  bool add(const TailQuery& asked, message::RowView row, RecentIds* recent = nullptr);
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::string text() const;
  // The same lines as what was not sent: their times and labels, of the first hundred.
  [[nodiscard]] std::string dropped() const;

 private:
  static constexpr std::size_t kDroppedTold = 100;
  language::logql::Labels labels_;
  std::map<std::string, std::string> streams_;  // by labels, JSON: values
  std::string dropped_;
  std::size_t count_ = 0, bytes_ = 0;
};

// A text that waits for clients, counted in the ledger until the last of them has taken it. Error: unavailable.
Result<std::shared_ptr<const std::string>> charged_text(std::shared_ptr<MemoryLedger> ledger, std::string text);

// One who follows: first what is stored, then every message that comes. Thread-safe.
class Tail final : public http::WebSocketFeed {
 public:
  Tail(std::shared_ptr<MemoryLedger> ledger, std::function<void()> gone)
      : gone_(std::move(gone)), heard_held_(std::move(ledger), MemoryLedger::Kind::answer) {}
  ~Tail() override { gone_(); }

  static constexpr std::size_t kHeardMost = 65'536;

  // `identities`: of its messages, which are remembered until start(). Errors: limit (he reads too slowly, or more has
  // come in the meantime than can be remembered), unavailable (limits.memory).
  Status give(const std::shared_ptr<const std::string>& text, const std::set<TailIdentity>& identities);
  // What came so far. What is stored and not among these was not heard.
  [[nodiscard]] std::set<TailIdentity> heard();
  // Nothing is remembered any more.
  void start();

 private:
  const std::function<void()> gone_;
  Mutex tail_mutex_;
  bool started_ VARVE_GUARDED_BY(tail_mutex_) = false;
  std::set<TailIdentity> heard_ VARVE_GUARDED_BY(tail_mutex_);
  MemoryLedger::Account heard_held_ VARVE_GUARDED_BY(tail_mutex_);
};

// Thread-safe.
class Tails : public std::enable_shared_from_this<Tails> {
 public:
  static constexpr std::size_t kMost = 10'000;
  static constexpr std::size_t kQuestionsMost = 1'000;

  // What is referred to outlives this and every tail.
  Tails(write::MessageNews& news, std::shared_ptr<MemoryLedger> ledger, const Clock& clock, Metrics& metrics);
  static void register_metrics(const std::shared_ptr<Tails>& tails, Metrics& metrics);

  // He is given what is appended from now on. `text`: of the query. Error: unavailable (too many).
  Result<std::shared_ptr<Tail>> add(const std::string& tenant, std::string_view text, TailQuery asked);
  [[nodiscard]] write::MessageNews& news() const { return news_; }
  [[nodiscard]] const std::shared_ptr<MemoryLedger>& ledger() const { return ledger_; }

 private:
  class Question;
  struct Shared {
    std::shared_ptr<Question> question;
    std::shared_ptr<const void> listens;
    std::size_t tails = 0;
  };
  void removed(const std::string& key);
  [[nodiscard]] double count() const;

  [[nodiscard]] bool may_add(const std::string& tenant, bool is_new) const VARVE_REQUIRES(mutex_);

  write::MessageNews& news_;
  const std::shared_ptr<MemoryLedger> ledger_;
  const Clock& clock_;
  Counter& dropped_;
  mutable Mutex mutex_;
  std::size_t tails_ VARVE_GUARDED_BY(mutex_) = 0;
  std::map<std::string, Shared, std::less<>> questions_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::api
