// SPDX-License-Identifier: Apache-2.0
#include "query/messages/subscriptions.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/regex.h"
#include "query/messages/recent_ids.h"

namespace varve::query {
namespace {

constexpr std::chrono::milliseconds kSettleMost{10'000};
// What the regular expressions of a question may take of the one thread that asks all of them, for one batch.
constexpr std::int64_t kMsMost = 250;
constexpr std::size_t kStepsOfValue = std::size_t{1} << 26;

Status in_time(const Clock& clock, std::int64_t end_ns) {
  if (clock.steady_ns() <= end_ns) return {};
  return fail(Code::limit, "the regular expressions of what is followed take more than " + std::to_string(kMsMost) +
                               " ms for the messages that came");
}

}  // namespace

Status Findings::charge() {
  const std::size_t bytes = text.capacity() + missed.capacity() + lines.capacity() * sizeof(Line) +
                            messages.capacity() * sizeof(codec::Hash128);
  if (held.resize(bytes)) return {};
  return fail(Code::unavailable, "requests hold all the memory of limits.memory");
}

bool Heard::take(message::RowView row) {
  if (counts_.empty()) return false;
  const auto at = counts_.find(message::identity_of(row));
  if (at == counts_.end()) return false;
  if (--at->second == 0) counts_.erase(at);
  return true;
}

// ---- Subscriber

void Subscriber::remember(const std::shared_ptr<const Findings>& found) {
  const MutexLock lock(heard_mutex_);
  if (remembers_) heard_.push_back(found);
}

Heard Subscriber::take_heard() {
  std::vector<std::shared_ptr<const Findings>> heard;
  {
    const MutexLock lock(heard_mutex_);
    remembers_ = false;
    heard.swap(heard_);
  }
  Heard out;
  for (const auto& found : heard) out.add(*found);
  return out;
}

// ---- Subscriptions::Question

class Subscriptions::Question {
 public:
  Question(const Subscriptions& of, std::unique_ptr<FollowedQuestion> asked)
      : ledger_(of.ledger_),
        clock_(of.clock_),
        compared_(of.compared_),
        dropped_(of.dropped_),
        asked_(std::move(asked)) {}

  void add(std::weak_ptr<Subscriber> subscriber) {
    const MutexLock lock(mutex_);
    std::erase_if(subscribers_, [](const auto& one) { return one.expired(); });
    subscribers_.push_back(std::move(subscriber));
  }

  // By one thread.
  void look_at(std::span<const std::byte> rows) {
    const auto found = std::make_shared<Findings>(ledger_);
    std::uint64_t seen = 0;
    Status read = read_rows(rows, *found, seen);
    asked_->finish(*found);
    if (read) read = found->charge();
    if (compared_ != nullptr) compared_->add(seen);
    if (!read) return fail_all(read.error(), found->missed);
    if (found->messages.empty()) return;
    for (const auto& subscriber : subscribers()) {
      subscriber->remember(found);
      if (!subscriber->give(found)) dropped_.add();
    }
  }

  void fail_all(const Error& error, std::string_view missed = {}) {
    for (const auto& subscriber : subscribers()) subscriber->fail_with(error, missed);
  }

 private:
  Status read_rows(std::span<const std::byte> rows, Findings& out, std::uint64_t& seen) {
    const std::int64_t end_ns = clock_.steady_ns() + kMsMost * 1'000'000;
    const RegexMeter meter([&] { return in_time(clock_, end_ns); }, kStepsOfValue);
    for (const std::byte *at = rows.data(), *const stop = at + rows.size(); at != stop;) {
      const message::RowView row{at};
      at += row.bytes();
      ++seen;
      const bool asks = asked_->asks_for(row);
      VARVE_RETURN_IF_ERROR(meter.status());
      if (!asks) continue;
      const codec::Hash128 identity = message::identity_of(row);
      if (message::has_lasting_id(row) && recent_.holds(identity)) continue;
      asked_->append(out);
      out.messages.push_back(identity);
      out.first_us = std::min(out.first_us, row.time_us());
      VARVE_RETURN_IF_ERROR(out.charge());
    }
    return {};
  }

  std::vector<std::shared_ptr<Subscriber>> subscribers() {
    std::vector<std::shared_ptr<Subscriber>> out;
    const MutexLock lock(mutex_);
    for (const auto& one : subscribers_) {
      if (auto subscriber = one.lock()) out.push_back(std::move(subscriber));
    }
    return out;
  }

  const std::shared_ptr<MemoryLedger> ledger_;
  const Clock& clock_;
  Counter* const compared_;
  Counter& dropped_;
  const std::unique_ptr<FollowedQuestion> asked_;
  RecentIds recent_;
  Mutex mutex_;
  std::vector<std::weak_ptr<Subscriber>> subscribers_ VARVE_GUARDED_BY(mutex_);
};

// ---- Subscriptions

Status Subscriptions::settle(const std::string& tenant) const { return news_.settle(tenant, kSettleMost); }

std::size_t Subscriptions::subscribers() const {
  const MutexLock lock(mutex_);
  return subscribers_;
}

std::size_t Subscriptions::questions() const {
  const MutexLock lock(mutex_);
  return questions_.size();
}

bool Subscriptions::may_add(const std::string& tenant, bool is_new) const {
  if (subscribers_ >= kMost) return false;
  if (!is_new) return true;
  const std::string prefix = tenant + '\n';
  std::size_t count = 0;
  for (auto at = questions_.lower_bound(prefix); at != questions_.end() && at->first.starts_with(prefix); ++at) ++count;
  return questions_.size() < kQuestionsMost && count < kQuestionsOfTenantMost;
}

Subscriptions::Shared Subscriptions::made(const std::string& tenant, const Make& make) const {
  Shared out{std::make_shared<Question>(*this, make()), nullptr, 0};
  out.listens = news_.listen(tenant, [question = out.question](const auto& rows) {
    if (rows) {
      question->look_at(*rows);
    } else {
      question->fail_all(rows.error());
    }
  });
  return out;
}

void Subscriptions::removed(const std::string& key) {
  Shared last;  // destroyed without the lock
  const MutexLock lock(mutex_);
  --subscribers_;
  const auto at = questions_.find(key);
  if (--at->second.subscribers > 0) return;
  last = std::move(at->second);
  questions_.erase(at);
}

Status Subscriptions::add(const std::string& tenant, std::string_view key, const Make& make,
                          const std::shared_ptr<Subscriber>& subscriber) {
  const std::string name = tenant + '\n' + std::string(key);
  std::shared_ptr<Question> question;
  {
    const MutexLock lock(mutex_);
    auto at = questions_.find(name);
    if (!may_add(tenant, at == questions_.end())) {
      return fail(Code::unavailable, "too many follow messages already");
    }
    if (at == questions_.end()) at = questions_.emplace(name, made(tenant, make)).first;
    ++subscribers_;
    ++at->second.subscribers;
    question = at->second.question;
  }
  subscriber->gone_ = [self = shared_from_this(), name] { self->removed(name); };
  question->add(subscriber);
  return {};
}

}  // namespace varve::query
