// SPDX-License-Identifier: Apache-2.0
// MemoryLedger: what all requests together hold in memory (`limits.memory`), by kind: bodies on their way in, queries
// at work, answers on their way out. Who holds something has an account and says how much it is; one that finds no room
// is told so and has to do without, and nobody else loses anything.
//
// Two shares are kept for small ones, so that they find room while large ones hold all the rest: one for bodies, one
// for queries and their answers. An account that grows out of its share moves to the rest.
//
//   auto ledger = std::make_shared<MemoryLedger>(std::size_t{1} << 30);
//   MemoryLedger::Account body(ledger, MemoryLedger::Kind::body);
//   if (!body.resize(buffer_bytes)) …                      // 503
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/metrics.h"

namespace varve {

// Thread-safe.
class MemoryLedger {
 public:
  enum class Kind { body, query, answer };
  // What counts as small: 1 MiB, and what a buffer for that has beside it.
  static constexpr std::size_t kSmallMax = (std::size_t{1} << 20) + (std::size_t{1} << 18);
  // Of each of the two shares for small ones; an eighth of the limit, if that is less.
  static constexpr std::size_t kShareMax = std::size_t{64} << 20;

  class Account;

  explicit MemoryLedger(std::size_t limit);

  [[nodiscard]] std::size_t limit() const { return limit_; }
  [[nodiscard]] std::size_t held(Kind kind) const;
  [[nodiscard]] std::size_t held() const;  // of all kinds
  [[nodiscard]] std::array<std::size_t, 3> held_by_kind() const;
  // What is left for one that is not small.
  [[nodiscard]] std::size_t room() const;

  // A request is answered with 503 as it found no room. Called once for each.
  void note_refused() { refused_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

  // varve_memory_bytes{kind} and varve_http_shed_total.
  static void register_metrics(const std::shared_ptr<MemoryLedger>& ledger, Metrics& metrics);

 private:
  struct Share {
    std::size_t max = 0;
    std::size_t used = 0;
    [[nodiscard]] bool has(std::size_t bytes) const { return bytes <= max - used; }
  };
  enum class Place { bodies, queries, rest };

  // False: there is no room, and nothing is changed.
  bool move(Account& account, Kind kind, std::size_t bytes);

  const std::size_t limit_;
  mutable std::mutex mutex_;     // protects what follows; nothing is called under it
  std::array<Share, 3> shares_;  // by Place; together they have the limit
  std::array<std::size_t, 3> held_{};
  std::atomic<std::uint64_t> refused_{0};
};

// What one request holds of one kind, given back when the account goes. One thread at a time.
class MemoryLedger::Account {
 public:
  // Without a ledger there is always room.
  Account(std::shared_ptr<MemoryLedger> ledger, Kind kind) : ledger_(std::move(ledger)), kind_(kind) {}
  ~Account() { clear(); }
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;

  // It will be large, however little it holds yet: no share for small ones is for it. Until clear().
  void expect_large() { large_ = true; }
  // Holds so much from now on. False: there is no room, and nothing is changed; never if it is less than before.
  [[nodiscard]] bool resize(std::size_t bytes) { return become(kind_, bytes); }
  // The same, and goes on as another kind.
  [[nodiscard]] bool become(Kind kind, std::size_t bytes);
  void clear();
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  friend class MemoryLedger;
  std::shared_ptr<MemoryLedger> ledger_;
  Kind kind_;
  Place place_ = Place::rest;
  std::size_t bytes_ = 0;
  bool large_ = false;
};

}  // namespace varve
