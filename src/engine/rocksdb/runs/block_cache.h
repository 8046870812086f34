// SPDX-License-Identifier: Apache-2.0
// BlockCache: an LRU cache of opened blocks, limited by bytes. Thread-safe.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/mutex.h"
#include "chunk/block.h"

namespace varve::engine::rocksdb {

class BlockCache {
 public:
  using BlockPtr = std::shared_ptr<const chunk::Block>;
  explicit BlockCache(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  [[nodiscard]] BlockPtr find(const std::string& key) {
    const MutexLock lock(mutex_);
    const auto hit = by_key_.find(key);
    if (hit == by_key_.end()) return nullptr;
    order_.splice(order_.begin(), order_, hit->second);
    return hit->second->block;
  }

  void put(const std::string& key, BlockPtr block) {
    check(block != nullptr, "a cache holds blocks");
    const std::size_t bytes = block->memory_bytes() + key.size() + sizeof(Entry);
    if (bytes > bytes_max_ / 4) return;
    const MutexLock lock(mutex_);
    if (by_key_.contains(key)) return;
    order_.push_front({key, std::move(block), bytes});
    by_key_.emplace(key, order_.begin());
    bytes_ += bytes;
    while (bytes_ > bytes_max_) {
      check(!order_.empty(), "the bytes of a cache are those of its blocks");
      bytes_ -= order_.back().bytes;
      by_key_.erase(order_.back().key);
      order_.pop_back();
    }
  }

  [[nodiscard]] std::size_t bytes() const {
    const MutexLock lock(mutex_);
    return bytes_;
  }

 private:
  struct Entry {
    std::string key;
    BlockPtr block;
    std::size_t bytes;
  };
  const std::size_t bytes_max_;
  mutable Mutex mutex_;
  std::list<Entry> order_ VARVE_GUARDED_BY(mutex_);  // most recently used first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_ VARVE_GUARDED_BY(mutex_);
  std::size_t bytes_ VARVE_GUARDED_BY(mutex_) = 0;
};

}  // namespace varve::engine::rocksdb
