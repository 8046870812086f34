// SPDX-License-Identifier: Apache-2.0
#include "write/message_feed.h"

#include <utility>
#include <vector>

#include "message/builder.h"

namespace varve::write {

// One append, while it is under way.
struct MessageFeed::Heard {
  std::string tenant;
  std::vector<std::byte> rows;  // none: nobody listened when it began
  std::uint64_t era = 0;
};

MessageFeed::MessageFeed(storage::MessageStore& store, Metrics& metrics)
    : store_(store),
      lost_(metrics.counter("varve_message_feed_lost_total",
                            "Batches of messages that were stored, and came too fast to be shown to followers.")),
      thread_(1, 4096) {}

MessageFeed::~MessageFeed() = default;

// Whether anybody listens is looked at under the lock that settle() takes: who listens, and then settles, misses
// nothing that is not visible by then.
std::shared_ptr<const MessageFeed::Heard> MessageFeed::begin(std::string_view tenant, const message::Batch& batch) {
  auto heard = std::make_shared<Heard>();
  bool listened = false;
  {
    const MutexLock lock(mutex_);
    heard->era = era_;
    ++under_way_[era_];
    listened = listeners_.contains(tenant);
  }
  if (!listened) return heard;
  heard->tenant = tenant;
  heard->rows.assign(batch.bytes().begin(), batch.bytes().end());
  return heard;
}

void MessageFeed::end(std::uint64_t era) {
  const MutexLock lock(mutex_);
  const auto at = under_way_.find(era);
  if (--at->second == 0) under_way_.erase(at);
  ended_.notify_all();
}

void MessageFeed::append_messages(std::string_view tenant, const message::Batch& batch, AppendDone done) {
  store_.append_messages(tenant, batch, [this, heard = begin(tenant, batch), done = std::move(done)](Status status) {
    const bool stored = status.has_value();
    done(std::move(status));
    if (stored && !heard->rows.empty()) {
      hand_out(heard);
    } else {
      end(heard->era);
    }
  });
}

void MessageFeed::hand_out(const std::shared_ptr<const Heard>& heard) {
  const std::size_t bytes = heard->rows.size();
  const bool has_room = waiting_bytes_.fetch_add(bytes) + bytes <= kWaitingBytesMax;
  const bool posted = has_room && thread_.post([this, heard] {
    publish(*heard);
    waiting_bytes_.fetch_sub(heard->rows.size());
    end(heard->era);
  });
  if (posted) return;
  waiting_bytes_.fetch_sub(bytes);
  lost_.add();
  for (const auto& one : listeners_of(heard->tenant)) {
    one->call(fail(Code::unavailable, "messages come faster than they can be looked at: some are missing"));
  }
  end(heard->era);
}

void MessageFeed::publish(const Heard& heard) {
  for (const auto& one : listeners_of(heard.tenant)) one->call(std::span<const std::byte>(heard.rows));
}

std::vector<std::shared_ptr<const MessageFeed::Listening>> MessageFeed::listeners_of(std::string_view tenant) const {
  std::vector<std::shared_ptr<const Listening>> out;
  const MutexLock lock(mutex_);
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
    for (const auto& one : listeners_of(tenant)) one->call(rows);
    return;
  }
  const auto heard = std::make_shared<Heard>();
  heard->tenant = tenant;
  heard->rows.assign(rows->begin(), rows->end());
  {
    const MutexLock lock(mutex_);
    heard->era = era_;
    ++under_way_[era_];
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

Status MessageFeed::settle(std::chrono::milliseconds most) {
  const auto until = std::chrono::steady_clock::now() + most;
  if (auto* const arrivals = store_.arrivals_elsewhere()) VARVE_RETURN_IF_ERROR(arrivals->settle(most));
  const MutexLock lock(mutex_);
  const std::uint64_t era = era_++;
  while (!under_way_.empty() && under_way_.begin()->first <= era) {
    if (ended_.wait_until(mutex_, until) == std::cv_status::timeout) {
      return fail(Code::unavailable, "writes under way do not end; try again");
    }
  }
  return {};
}

}  // namespace varve::write
