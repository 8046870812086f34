// SPDX-License-Identifier: Apache-2.0
// ParseMemory: what a thread makes of the text of a request, charged to the ledger of all requests while it is read: a
// tree of JSON takes many times the bytes of its text.
#pragma once

#include <cstddef>
#include <memory>

#include "base/memory_ledger.h"

namespace varve {

// While it lives, what this thread charges is held; then all of it is given back. They may be nested; the innermost one
// counts.
class ParseMemory {
 public:
  explicit ParseMemory(std::shared_ptr<MemoryLedger> ledger);
  ~ParseMemory();
  ParseMemory(const ParseMemory&) = delete;
  ParseMemory& operator=(const ParseMemory&) = delete;

  // So many more bytes. False: the ledger has no room. Little is free, as it comes and goes too often to be counted; so
  // is all where there is none of these.
  [[nodiscard]] static bool charge(std::size_t bytes);

 private:
  static constexpr std::size_t kStep = std::size_t{64} << 10;

  MemoryLedger::Account held_;
  std::size_t used_ = 0;
  ParseMemory* const outer_;
};

}  // namespace varve
