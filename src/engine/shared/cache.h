// SPDX-License-Identifier: Apache-2.0
// Cache: an LRU cache by key, limited by bytes, and by time where drop_unused() is called. Thread-safe. SectionCache:
// of sections of sealed messages that are whole.
#pragma once

#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/mutex.h"

namespace varve::engine::shared {

template <class T>
class Cache {
 public:
  using Value = std::shared_ptr<const T>;
  explicit Cache(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  [[nodiscard]] Value find(const std::string& key) {
    const MutexLock lock(mutex_);
    const auto hit = by_key_.find(key);
    if (hit == by_key_.end()) return nullptr;
    order_.splice(order_.begin(), order_, hit->second);
    hit->second->used = round_;
    return hit->second->value;
  }

  void put(const std::string& key, Value value, std::size_t value_bytes) {
    check(value != nullptr, "a cache holds values");
    const std::size_t bytes = value_bytes + key.size() + sizeof(Entry);
    if (bytes > bytes_max_ / 4) return;
    const MutexLock lock(mutex_);
    if (by_key_.contains(key)) return;
    order_.push_front({key, std::move(value), bytes, round_});
    by_key_.emplace(key, order_.begin());
    bytes_ += bytes;
    shrink();
  }

  // Values may grow while they are used: says how many bytes this one has now, if it is still there.
  void resize(const std::string& key, const T* value, std::size_t value_bytes) {
    const MutexLock lock(mutex_);
    const auto found = by_key_.find(key);
    if (found == by_key_.end() || found->second->value.get() != value) return;
    bytes_ -= found->second->bytes;
    found->second->bytes = value_bytes + key.size() + sizeof(Entry);
    bytes_ += found->second->bytes;
    shrink();
  }

  // To be called at even intervals: what was not used in the last two of them goes.
  void drop_unused() {
    std::list<Entry> unused;  // ends without the lock
    const MutexLock lock(mutex_);
    ++round_;
    auto first = order_.end();
    while (first != order_.begin() && std::prev(first)->used + 2 < round_) {
      --first;
      bytes_ -= first->bytes;
      by_key_.erase(first->key);
    }
    unused.splice(unused.begin(), order_, first, order_.end());
  }

  [[nodiscard]] std::size_t bytes() const {
    const MutexLock lock(mutex_);
    return bytes_;
  }

 private:
  struct Entry {
    std::string key;
    Value value;
    std::size_t bytes;
    std::uint64_t used;  // in which round last
  };
  void shrink() VARVE_REQUIRES(mutex_) {
    while (bytes_ > bytes_max_) {
      check(!order_.empty(), "the bytes of a cache are those of its values");
      bytes_ -= order_.back().bytes;
      by_key_.erase(order_.back().key);
      order_.pop_back();
    }
  }

  const std::size_t bytes_max_;
  mutable Mutex mutex_;
  std::list<Entry> order_ VARVE_GUARDED_BY(mutex_);  // most recently used first
  std::unordered_map<std::string, typename std::list<Entry>::iterator> by_key_ VARVE_GUARDED_BY(mutex_);
  std::size_t bytes_ VARVE_GUARDED_BY(mutex_) = 0;
  std::uint64_t round_ VARVE_GUARDED_BY(mutex_) = 0;
};

using SectionCache = Cache<std::string>;

}  // namespace varve::engine::shared
