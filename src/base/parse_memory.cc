// SPDX-License-Identifier: Apache-2.0
#include "base/parse_memory.h"

#include <utility>

namespace varve {
namespace {

thread_local ParseMemory* innermost = nullptr;

}  // namespace

ParseMemory::ParseMemory(std::shared_ptr<MemoryLedger> ledger)
    : held_(std::move(ledger), MemoryLedger::Kind::query), outer_(std::exchange(innermost, this)) {}

ParseMemory::~ParseMemory() { innermost = outer_; }

bool ParseMemory::charge(std::size_t bytes) {
  ParseMemory* const own = innermost;
  if (own == nullptr) return true;
  own->used_ += bytes;
  if (own->used_ < own->held_.bytes() + kStep) return true;
  return own->held_.resize(own->used_ / kStep * kStep);
}

}  // namespace varve
