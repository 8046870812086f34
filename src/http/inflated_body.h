// SPDX-License-Identifier: Apache-2.0
// InflatedBody: the body of a request without its content codings, and the memory that it holds.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/memory_ledger.h"
#include "base/result.h"
#include "codec/compression.h"

namespace varve::http {

// Of one connection; one thread at a time.
class InflatedBody {
 public:
  explicit InflatedBody(std::shared_ptr<MemoryLedger> ledger) : memory_(std::move(ledger), MemoryLedger::Kind::body) {}

  // Undoes the codings, the last one first; no layer may unpack to more than `max`. What it gives has kBodyPadding
  // readable bytes behind it, and is valid until clear(). A small one is unpacked before it is known how much memory it
  // takes; of others the memory is taken first, little where little is likely. Errors: too_large, invalid, unavailable
  // (the ledger has no room).
  Result<std::string_view> unpack_small(std::span<const codec::Coding> codings, std::string_view raw, std::size_t max);
  Result<std::string_view> unpack(std::span<const codec::Coding> codings, std::string_view raw, std::size_t max);

  void clear();

 private:
  Status inflate(std::span<const codec::Coding> codings, std::string_view raw, std::size_t max, std::string& spare);
  Result<std::string_view> charged();

  std::string text_;
  MemoryLedger::Account memory_;
};

}  // namespace varve::http
