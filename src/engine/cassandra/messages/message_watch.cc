// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/messages/message_watch.h"

#include <algorithm>

#include "engine/cassandra/messages/blob_bytes.h"
#include "message/row.h"

namespace varve::engine::cassandra {

// --- TenantWatch

Result<std::vector<TenantWatch::New>> TenantWatch::new_rows() {
  const auto watermark_us = watermark_();
  if (!has_looked_) {
    if (!watermark_us) return fail(Code::unavailable, "it is not known up to when hot rows are whole");
    from_us_ = *watermark_us;
    seen_.clear();
    to_come_.clear();
  }
  const std::int64_t from_us = std::max(from_us_, watermark_us.value_or(0));
  VARVE_ASSIGN_OR_RETURN(const auto owners, messages_.owners(tenant_));
  std::set<Key> seen;
  std::vector<New> found;
  for (const std::string& owner : owners) VARVE_RETURN_IF_ERROR(add_new(owner, from_us, seen, found));
  std::ranges::sort(found, {}, [](const New& one) { return std::pair(one.row.arrived_us, one.row.bucket.source); });
  if (std::exchange(has_looked_, true)) {
    to_come_.insert(to_come_.end(), found.begin(), found.end());
  }
  seen_ = std::move(seen);
  from_us_ = from_us;
  return std::exchange(to_come_, {});
}

Status TenantWatch::add_new(const std::string& owner, std::int64_t from_us, std::set<Key>& seen,
                            std::vector<New>& found) const {
  VARVE_ASSIGN_OR_RETURN(const auto slots, messages_.read_new(owner, from_us_, source_));
  for (const SlotMessages& slot : slots) {
    for (const HotMessages& row : slot.hot) {
      const Key key{row.arrived_us, row.bucket, owner};
      if (!seen_.contains(key)) found.push_back({owner, slot.slot, row});
      if (row.arrived_us >= from_us) seen.insert(key);
    }
  }
  return {};
}

Result<std::vector<std::string>> TenantWatch::look() {
  VARVE_ASSIGN_OR_RETURN(auto found, new_rows());
  std::vector<std::string> out;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto read = messages_.read_hot(found[i].owner, found[i].slot, {&found[i].row, 1},
                                         [&](const HotMessages&, std::string rows) -> Status {
                                           out.push_back(std::move(rows));
                                           return {};
                                         });
    if (read) continue;
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(i));
    to_come_ = std::move(found);
    if (out.empty()) return fail(read.error());
    break;
  }
  for (std::string& rows : out) {
    auto* const begin = reinterpret_cast<std::byte*>(rows.data());
    for (std::byte* at = begin; at != begin + rows.size(); at += message::RowView{at}.bytes()) {
      message::set_arrival(at, 0);
    }
  }
  return out;
}

// --- MessageWatch

struct MessageWatch::Listening {
  std::string tenant;
  Listener call;
};

struct MessageWatch::Watched {
  Watched(std::string tenant, const MessageWatch& watch)
      : rows(std::move(tenant), watch.messages_, watch.source_, watch.watermark_),
        looked_ms(watch.clock_.steady_ns() / 1'000'000) {}
  TenantWatch rows;        // of the thread
  std::int64_t looked_ms;  // likewise
  Mutex mutex;
  std::vector<std::shared_ptr<const Listening>> listeners VARVE_GUARDED_BY(mutex);

  std::vector<std::shared_ptr<const Listening>> all() {
    const MutexLock lock(mutex);
    return listeners;
  }
};

std::shared_ptr<const void> MessageWatch::listen(std::string tenant, Listener listener) {
  auto listening = std::make_shared<const Listening>(Listening{std::move(tenant), std::move(listener)});
  const Listening* const which = listening.get();
  const MutexLock lock(mutex_);
  auto& watched = tenants_[which->tenant];
  if (watched == nullptr) watched = std::make_shared<Watched>(which->tenant, *this);
  {
    const MutexLock inner(watched->mutex);
    watched->listeners.push_back(std::move(listening));
  }
  if (!thread_.joinable() && !closed_) thread_ = std::thread([this] { run(); });
  changed_.notify_all();
  return {which, [this](const Listening* gone) { remove(gone); }};
}

void MessageWatch::remove(const Listening* listening) {
  const MutexLock lock(mutex_);
  const auto at = tenants_.find(listening->tenant);
  std::shared_ptr<const Listening> last;
  const std::shared_ptr<Watched> watched = at->second;
  const MutexLock inner(watched->mutex);
  const auto found = std::ranges::find(watched->listeners, listening, &std::shared_ptr<const Listening>::get);
  last = std::move(*found);
  watched->listeners.erase(found);
  if (watched->listeners.empty()) tenants_.erase(at);
}

std::vector<std::shared_ptr<MessageWatch::Watched>> MessageWatch::watched() const {
  std::vector<std::shared_ptr<Watched>> out;
  for (const auto& [tenant, watched] : tenants_) out.push_back(watched);
  return out;
}

// True: all that was there has been told.
bool MessageWatch::look(Watched& watched) {
  auto found = watched.rows.look();
  const std::int64_t now_ms = clock_.steady_ns() / 1'000'000;
  if (found) {
    watched.looked_ms = now_ms;
    for (const std::string& rows : *found) {
      for (const auto& one : watched.all()) one->call(blob_bytes(rows));
    }
    return watched.rows.is_whole();
  }
  if (now_ms - watched.looked_ms < kBlindMsMax) return false;
  watched.looked_ms = now_ms;
  watched.rows.start_anew();
  for (const auto& one : watched.all()) {
    one->call(fail(Code::unavailable, "what other replicas store could not be read: some of it is missing"));
  }
  return false;
}

void MessageWatch::run() {
  mutex_.lock();
  while (!closed_) {
    if (tenants_.empty()) {
      looked_ = asked_;
      changed_.notify_all();
      changed_.wait(mutex_);
      continue;
    }
    const std::uint64_t asked = asked_;
    const auto list = watched();
    const auto next = std::chrono::steady_clock::now() + kEvery;
    mutex_.unlock();
    bool whole = true;
    for (const auto& one : list) whole &= look(*one);
    mutex_.lock();
    if (whole) looked_ = asked;
    changed_.notify_all();
    while (!closed_ && (asked_ == asked || !whole) && changed_.wait_until(mutex_, next) != std::cv_status::timeout) {
    }
  }
  mutex_.unlock();
}

// The one that is under way may have begun too early.
Status MessageWatch::settle(std::chrono::milliseconds most) {
  const auto until = std::chrono::steady_clock::now() + most;
  const MutexLock lock(mutex_);
  if (tenants_.empty()) return {};
  const std::uint64_t wanted = ++asked_;
  changed_.notify_all();
  while (looked_ < wanted && !closed_) {
    if (changed_.wait_until(mutex_, until) == std::cv_status::timeout) {
      return fail(Code::unavailable, "Cassandra does not say what other replicas store; try again");
    }
  }
  return {};
}

void MessageWatch::close() {
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace varve::engine::cassandra
