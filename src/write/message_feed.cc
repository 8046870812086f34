// SPDX-License-Identifier: Apache-2.0
#include "write/message_feed.h"

#include <utility>

#include "base/guarded.h"
#include "message/builder.h"
#include "write/refusals.h"
#include "write/tenant_figures.h"

namespace varve::write {

// One append, while it is under way.
struct MessageFeed::Heard {
  std::string tenant;
  std::vector<std::byte> rows;  // none: nobody listened when it began
  std::uint64_t era = 0;
  // Of the batch, for the witnesses.
  std::size_t messages = 0;
  std::size_t bytes = 0;
};

MessageFeed::MessageFeed(storage::MessageStore& store, Metrics& metrics, Witnesses witnesses)
    : store_(store),
      witnesses_(witnesses),
      lost_(metrics.counter("varve_message_feed_lost_total",
                            "Batches of messages that were stored, and came too fast to be shown to followers.")),
      thread_(1, 1) {}

MessageFeed::~MessageFeed() = default;

// Whether anybody listens is looked at under the lock that settle() takes: who listens, and then settles, misses
// nothing that is not visible by then.
std::shared_ptr<const MessageFeed::Heard> MessageFeed::begin(std::string_view tenant, const message::Batch& batch) {
  auto heard = std::make_shared<Heard>();
  heard->tenant = tenant;
  heard->messages = batch.rows();
  heard->bytes = batch.bytes().size();
  bool listened = false;
  {
    const MutexLock lock(mutex_);
    heard->era = era_;
    ++under_way_[heard->tenant][era_];
    listened = listeners_.contains(tenant);
  }
  if (listened) heard->rows.assign(batch.bytes().begin(), batch.bytes().end());
  return heard;
}

void MessageFeed::end(const Heard& heard) {
  const MutexLock lock(mutex_);
  const auto of_tenant = under_way_.find(heard.tenant);
  const auto at = of_tenant->second.find(heard.era);
  if (--at->second == 0) of_tenant->second.erase(at);
  if (of_tenant->second.empty()) under_way_.erase(of_tenant);
  ended_.notify_all();
}

void MessageFeed::append_messages(std::string_view tenant, const message::Batch& batch, AppendDone done) {
  store_.append_messages(tenant, batch, [this, heard = begin(tenant, batch), done = std::move(done)](Status status) {
    const bool stored = status.has_value();
    if (witnesses_.refusals != nullptr) witnesses_.refusals->note(status, heard->bytes);
    if (stored && witnesses_.figures != nullptr) witnesses_.figures->messages(heard->tenant).add(heard->messages);
    done(std::move(status));
    if (stored && !heard->rows.empty()) {
      hand_out(heard);
    } else {
      end(*heard);
    }
  });
}

void MessageFeed::hand_out(const std::shared_ptr<const Heard>& heard) {
  if (wait_for_turn(heard)) return;
  lost_.add();
  std::vector<std::shared_ptr<const Listening>> listeners;
  {
    const MutexLock lock(mutex_);
    listeners = listeners_of(heard->tenant);
  }
  for (const auto& one : listeners) {
    one->call(fail(Code::unavailable, "messages come faster than they can be looked at: some are missing"));
  }
  end(*heard);
}

// False: too much waits.
bool MessageFeed::wait_for_turn(const std::shared_ptr<const Heard>& heard) {
  const MutexLock lock(mutex_);
  if (waiting_bytes_ + heard->rows.size() > kWaitingBytesMax) return false;
  if (!is_publishing_ && !thread_.post([this] { publish_all(); })) return false;
  is_publishing_ = true;
  waiting_bytes_ += heard->rows.size();
  const auto [at, is_new] = waiting_.try_emplace(heard->tenant);
  if (is_new) turns_.emplace(spent_ns_, heard->tenant);  // behind nobody, and before none who had less
  at->second.batches.push_back(heard);
  return true;
}

void MessageFeed::publish_all() {
  while (publish_to_one()) continue;
}

// Gives the next batch of the tenant that had the least time to the next who listens to it. False: nothing waits.
bool MessageFeed::publish_to_one() {
  std::shared_ptr<const Heard> heard;
  std::shared_ptr<const Listening> listener;
  bool is_last = false;
  {
    const MutexLock lock(mutex_);
    is_publishing_ = !turns_.empty();
    if (!is_publishing_) return false;
    const auto turn = turns_.extract(turns_.begin());
    spent_ns_ = turn.value().first;
    Waiting& waiting = waiting_.find(turn.value().second)->second;
    heard = waiting.batches.front();
    if (waiting.next == 0) waiting.listeners = listeners_of(heard->tenant);
    if (waiting.next < waiting.listeners.size()) listener = waiting.listeners[waiting.next++];
    is_last = waiting.next == waiting.listeners.size();
  }
  const auto began = std::chrono::steady_clock::now();
  if (listener != nullptr) {
    const std::span<const std::byte> rows(heard->rows);
    log_failure("messages cannot be shown to a follower", guarded([&] { listener->call(rows); }));
  }
  end_turn(*heard, is_last, std::chrono::steady_clock::now() - began);
  if (is_last) end(*heard);
  return true;
}

void MessageFeed::end_turn(const Heard& heard, bool is_last, std::chrono::nanoseconds took) {
  const MutexLock lock(mutex_);
  const auto at = waiting_.find(heard.tenant);
  Waiting& waiting = at->second;
  if (is_last) {
    waiting_bytes_ -= heard.rows.size();
    waiting.batches.pop_front();
    waiting.next = 0;
  }
  if (waiting.batches.empty()) {
    waiting_.erase(at);
  } else {
    turns_.emplace(spent_ns_ + took.count(), heard.tenant);
  }
}

std::vector<std::shared_ptr<const MessageFeed::Listening>> MessageFeed::listeners_of(std::string_view tenant) const {
  std::vector<std::shared_ptr<const Listening>> out;
  const auto [first, last] = listeners_.equal_range(tenant);
  for (auto at = first; at != last; ++at) out.push_back(at->second);
  return out;
}

std::shared_ptr<const void> MessageFeed::listen(std::string tenant, Listener listener) {
  auto listening = std::make_shared<Listening>(Listening{std::move(tenant), std::move(listener)});
  const Listening* const which = listening.get();
  {
    const MutexLock lock(mutex_);
    listening->elsewhere = listen_elsewhere(which->tenant);
    listeners_.emplace(which->tenant, std::move(listening));
  }
  return {which, [this](const Listening* gone) { remove(gone); }};
}

// Once for all who listen to the tenant.
std::shared_ptr<const void> MessageFeed::listen_elsewhere(const std::string& tenant) {
  storage::MessageArrivals* const arrivals = store_.arrivals_elsewhere();
  if (arrivals == nullptr) return nullptr;
  std::erase_if(elsewhere_, [](const auto& one) { return one.second.expired(); });
  std::weak_ptr<const void>& known = elsewhere_[tenant];
  auto listens = known.lock();
  if (listens == nullptr) {
    known = listens = arrivals->listen(tenant, [this, tenant](const auto& rows) { heard_elsewhere(tenant, rows); });
  }
  return listens;
}

void MessageFeed::heard_elsewhere(const std::string& tenant, const Result<std::span<const std::byte>>& rows) {
  if (!rows) {
    std::vector<std::shared_ptr<const Listening>> listeners;
    {
      const MutexLock lock(mutex_);
      listeners = listeners_of(tenant);
    }
    for (const auto& one : listeners) one->call(rows);
    return;
  }
  const auto heard = std::make_shared<Heard>();
  heard->tenant = tenant;
  heard->rows.assign(rows->begin(), rows->end());
  {
    const MutexLock lock(mutex_);
    heard->era = era_;
    ++under_way_[tenant][era_];
  }
  hand_out(heard);
}

void MessageFeed::remove(const Listening* listening) {
  std::shared_ptr<const Listening> last;  // destroyed without the lock
  const MutexLock lock(mutex_);
  const auto [first, end] = listeners_.equal_range(listening->tenant);
  for (auto at = first; at != end; ++at) {
    if (at->second.get() != listening) continue;
    last = std::move(at->second);
    listeners_.erase(at);
    return;
  }
}

Status MessageFeed::settle(const std::string& tenant, std::chrono::milliseconds most) {
  const auto until = std::chrono::steady_clock::now() + most;
  if (auto* const arrivals = store_.arrivals_elsewhere()) VARVE_RETURN_IF_ERROR(arrivals->settle(most));
  const MutexLock lock(mutex_);
  const std::uint64_t era = era_++;
  const auto is_under_way = [&]() VARVE_REQUIRES(mutex_) {
    const auto at = under_way_.find(tenant);
    return at != under_way_.end() && at->second.begin()->first <= era;
  };
  while (is_under_way()) {
    if (ended_.wait_until(mutex_, until) == std::cv_status::timeout) {
      return fail(Code::unavailable, "writes under way do not end; try again");
    }
  }
  return {};
}

}  // namespace varve::write
