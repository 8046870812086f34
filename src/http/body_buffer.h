// SPDX-License-Identifier: Apache-2.0
// Memory for requests. A connection has a small buffer of its own; a larger request borrows a large one, which counts
// as a body in the ledger of all requests and is used again by the next one.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/memory_ledger.h"
#include "base/mutex.h"

namespace varve::http {

// Not cleared: what was not written must not be read as data.
struct Block {
  std::unique_ptr<char[]> data;
  std::size_t size = 0;
  bool used = false;  // its pages are there; those of a new one come as they are written
};

// What blocks there are, so that one for about as much can be used again: powers of two up to 1 MiB, above them
// sixteenths of the next one.
std::size_t block_size(std::size_t bytes);

// Blocks for use again, so that a stream of large requests does not fault its pages in each time. Thread-safe.
class BlockPool {
 public:
  explicit BlockPool(std::size_t keep_max) : keep_max_(keep_max) {}
  // At least `size` bytes: as many as block_size(size).
  Block get(std::size_t size);
  void put(Block block);
  [[nodiscard]] std::size_t kept() const;

 private:
  const std::size_t keep_max_;
  mutable Mutex mutex_;
  std::vector<Block> free_ VARVE_GUARDED_BY(mutex_);
  std::size_t kept_ VARVE_GUARDED_BY(mutex_) = 0;
};

// What has come in on a connection and is not used up: [begin, end) of data().
class BodyBuffer {
 public:
  BodyBuffer(std::shared_ptr<MemoryLedger> ledger, BlockPool& pool, std::size_t small_size);
  ~BodyBuffer();
  BodyBuffer(const BodyBuffer&) = delete;
  BodyBuffer& operator=(const BodyBuffer&) = delete;

  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] char* data() { return large_.data ? large_.data.get() : small_.data.get(); }
  // Behind `end`, without the padding that parsers may read.
  [[nodiscard]] std::size_t space() const;
  [[nodiscard]] std::size_t size() const { return end - begin; }

  // What comes will be large: it takes no room from small bodies.
  void expect_large() { held_.expect_large(); }
  // Moves [begin, end) to the front of a buffer that has room for `bytes` in all, which are charged. `expected`: so
  // many may follow; the block reaches ahead for some of them, so that they need not be copied once more, but what is
  // not written is not charged: it takes addresses, no memory. False: the ledger has no room, nothing changed.
  [[nodiscard]] bool make_room(std::size_t bytes, std::size_t expected = 0);
  // Back to the small buffer if what is left fits there; to the front if little space is left.
  void shrink();

 private:
  // What may be written: of a large block no more than is charged.
  [[nodiscard]] std::size_t capacity() const { return large_.data ? charged_ : small_.size; }

  MemoryLedger::Account held_;  // of large_
  std::size_t charged_ = 0;     // of large_, from its front
  BlockPool* pool_;
  Block small_;
  Block large_;
};

}  // namespace varve::http
