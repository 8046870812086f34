// SPDX-License-Identifier: Apache-2.0
#include "http/body_buffer.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "http/handler.h"

namespace varve::http {

namespace {

// So many times what has come may the addresses of a block reach.
constexpr std::size_t kAhead = 128;

}  // namespace

std::size_t block_size(std::size_t bytes) {
  constexpr std::size_t kFine = std::size_t{1} << 20;
  const std::size_t power = std::bit_ceil(bytes);
  if (power <= kFine) return power;
  const std::size_t step = power / 16;
  return (bytes + step - 1) / step * step;
}

Block BlockPool::get(std::size_t size) {
  const std::size_t rounded = block_size(size);
  {
    const MutexLock lock(mutex_);
    const auto found = std::find_if(free_.begin(), free_.end(), [&](const Block& b) { return b.size == rounded; });
    if (found != free_.end()) {
      Block block = std::move(*found);
      free_.erase(found);
      kept_ -= block.size;
      return block;
    }
  }
  return {std::make_unique_for_overwrite<char[]>(rounded), rounded};
}

void BlockPool::put(Block block) {
  const MutexLock lock(mutex_);
  if (kept_ + block.size > keep_max_) return;
  kept_ += block.size;
  block.used = true;
  free_.push_back(std::move(block));
}

std::size_t BlockPool::kept() const {
  const MutexLock lock(mutex_);
  return kept_;
}

BodyBuffer::BodyBuffer(std::shared_ptr<MemoryLedger> ledger, BlockPool& pool, std::size_t small_size)
    : held_(std::move(ledger), MemoryLedger::Kind::body),
      pool_(&pool),
      small_{std::make_unique_for_overwrite<char[]>(small_size), small_size} {}

BodyBuffer::~BodyBuffer() {
  begin = end = 0;
  shrink();
}

std::size_t BodyBuffer::space() const {
  const std::size_t used = end + kBodyPadding;
  return used < capacity() ? capacity() - used : 0;
}

bool BodyBuffer::make_room(std::size_t bytes, std::size_t expected) {
  check(begin <= end && end <= capacity(), "what has come lies in the buffer");
  const std::size_t wanted = bytes + kBodyPadding;
  if (large_.data && wanted > capacity() && wanted <= large_.size) {
    const std::size_t charged = std::min(block_size(wanted), large_.size);
    if (!held_.resize(charged)) return false;
    charged_ = charged;
  }
  if (wanted <= capacity()) {
    if (begin != 0) std::memmove(data(), data() + begin, size());
  } else {
    // The smaller block goes as soon as this one has its bytes.
    const std::size_t charged = block_size(wanted);
    if (!held_.resize(charged)) return false;
    Block larger = pool_->get(std::max(wanted, std::min(expected + kBodyPadding, kAhead * wanted)));
    if (larger.used && !held_.resize(larger.size)) {
      pool_->put(std::move(larger));
      larger = pool_->get(wanted);
    }
    std::memcpy(larger.data.get(), data() + begin, size());
    if (large_.data) pool_->put(std::move(large_));
    large_ = std::move(larger);
    charged_ = large_.used ? large_.size : charged;
  }
  end -= begin;
  begin = 0;
  return true;
}

void BodyBuffer::shrink() {
  check(begin <= end && end <= capacity(), "what has come lies in the buffer");
  if (begin == end) begin = end = 0;
  if (!large_.data) held_.clear();
  if (large_.data && size() + kBodyPadding <= small_.size) {
    std::memcpy(small_.data.get(), large_.data.get() + begin, size());
    end -= begin;
    begin = 0;
    pool_->put(std::move(large_));
    large_ = {};
    charged_ = 0;
    held_.clear();
  } else if (begin != 0 && space() < small_.size / 2) {
    std::memmove(data(), data() + begin, size());
    end -= begin;
    begin = 0;
  }
}

}  // namespace varve::http
