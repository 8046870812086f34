// SPDX-License-Identifier: Apache-2.0
// Subscriptions: who follows which question about messages. All who ask the same of the same tenant share the question,
// which is asked of each message once, and what it makes of messages, of which there is one copy.
//
//   subscriptions->add(tenant, key, make, subscriber);  // from here on it is given what comes
//   subscriptions->settle(tenant);                      // and what came before is stored
//   …                                                   // finds what is stored
//   subscriptions->settle(tenant);                      // what is among it and came later was given, too
//   Heard heard = subscriber->take_heard();             // so that each message is shown once
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/memory_ledger.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "base/result.h"
#include "message/id.h"
#include "message/row.h"
#include "storage/message_news.h"

namespace varve::query {

// What a question makes of the messages of one batch that it asks for; counted in the ledger until the last who waits
// for it has taken it.
struct Findings {
  struct Line {
    std::size_t end;  // in text
    std::int64_t time_us;
  };
  explicit Findings(std::shared_ptr<MemoryLedger> ledger) : held(std::move(ledger), MemoryLedger::Kind::answer) {}
  // Counts what is there. Error: unavailable.
  Status charge();

  std::string text;                      // as subscribers are sent it
  std::vector<Line> lines;               // of the text, if it has lines
  std::string missed;                    // what is sent instead to who has no room for it
  std::vector<codec::Hash128> messages;  // identities of those that it is made of
  std::int64_t first_us = INT64_MAX;     // the earliest of their times
  MemoryLedger::Account held;
};

// What is asked of every message that comes. By one thread at a time.
class FollowedQuestion {
 public:
  virtual ~FollowedQuestion() = default;
  // Is the message one that it asks for? The row stays until append().
  virtual bool asks_for(message::RowView row) = 0;
  // Adds what it makes of that message.
  virtual void append(Findings& out) = 0;
  // Of this batch there are no more.
  virtual void finish(Findings& /*out*/) {}
};

// Messages that a subscriber was given while it was found out what is stored.
class Heard {
 public:
  void add(const Findings& found) {
    for (const codec::Hash128 message : found.messages) ++counts_[message];
  }
  // Was it given? Of messages that are the same, so many as were given are.
  bool take(message::RowView row);
  [[nodiscard]] std::size_t bytes() const { return counts_.size() * 48; }  // about

 private:
  std::unordered_map<codec::Hash128, std::size_t, message::IdentityHash> counts_;
};

// One who follows a question. Thread-safe.
class Subscriber {
 public:
  Subscriber() = default;
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;
  virtual ~Subscriber() {
    if (gone_) gone_();
  }

  // False: it has not taken what it was given before, which is more than may wait; it ends, and says so.
  virtual bool give(const std::shared_ptr<const Findings>& found) = 0;
  // It ends with this error. `missed`: what of the batch was found until then.
  virtual void fail_with(const Error& error, std::string_view missed) = 0;

  // What it was given so far; what comes later is not remembered.
  Heard take_heard();

 private:
  friend class Subscriptions;
  void remember(const std::shared_ptr<const Findings>& found);

  std::function<void()> gone_;
  Mutex heard_mutex_;
  bool remembers_ VARVE_GUARDED_BY(heard_mutex_) = true;
  std::vector<std::shared_ptr<const Findings>> heard_ VARVE_GUARDED_BY(heard_mutex_);
};

// Thread-safe.
class Subscriptions : public std::enable_shared_from_this<Subscriptions> {
 public:
  static constexpr std::size_t kMost = 10'000;  // subscribers
  static constexpr std::size_t kQuestionsMost = 1'000;
  static constexpr std::size_t kQuestionsOfTenantMost = 100;

  // What is referred to outlives this and every subscriber. `compared` counts the messages that questions were asked
  // of (nullptr: nobody asks), `dropped` the subscribers for which too much waited.
  Subscriptions(storage::MessageNews& news, std::shared_ptr<MemoryLedger> ledger, const Clock& clock, Counter* compared,
                Counter& dropped)
      : news_(news), ledger_(std::move(ledger)), clock_(clock), compared_(compared), dropped_(dropped) {}

  // `key`: the same of all questions that ask the same of a message. `make` is called if nobody asks it yet. Error:
  // unavailable (too many).
  using Make = std::function<std::unique_ptr<FollowedQuestion>()>;
  Status add(const std::string& tenant, std::string_view key, const Make& make,
             const std::shared_ptr<Subscriber>& subscriber);

  // Waits until what the tenant is appending is visible, and was given to subscribers. Error: unavailable.
  [[nodiscard]] Status settle(const std::string& tenant) const;

  [[nodiscard]] const std::shared_ptr<MemoryLedger>& ledger() const { return ledger_; }
  [[nodiscard]] std::size_t subscribers() const;
  [[nodiscard]] std::size_t questions() const;

 private:
  class Question;
  struct Shared {
    std::shared_ptr<Question> question;
    std::shared_ptr<const void> listens;
    std::size_t subscribers = 0;
  };
  [[nodiscard]] bool may_add(const std::string& tenant, bool is_new) const VARVE_REQUIRES(mutex_);
  [[nodiscard]] Shared made(const std::string& tenant, const Make& make) const;
  void removed(const std::string& key);

  storage::MessageNews& news_;
  const std::shared_ptr<MemoryLedger> ledger_;
  const Clock& clock_;
  Counter* const compared_;
  Counter& dropped_;
  mutable Mutex mutex_;
  std::size_t subscribers_ VARVE_GUARDED_BY(mutex_) = 0;
  std::map<std::string, Shared, std::less<>> questions_ VARVE_GUARDED_BY(mutex_);  // by tenant, line break, key
};

}  // namespace varve::query
