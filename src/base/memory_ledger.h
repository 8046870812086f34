// SPDX-License-Identifier: Apache-2.0
// MemoryLedger: the memory of all requests together (`limits.memory`), by kind: bodies being received, queries being
// run, answers being sent. Whoever holds memory has an account and reports its size; an account that finds no room is
// refused, and the others keep what they have.
//
// Two shares are reserved for small accounts, so that they find room while large ones hold all the rest: one for
// bodies, one for queries and their answers. An account that outgrows its share moves to the common part.
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

#include "base/metrics.h"
#include "base/mutex.h"

namespace varve {

// Thread-safe.
class MemoryLedger {
 public:
  enum class Kind { body, query, answer };
  // The largest small account: 1 MiB, and the overhead of a buffer of that size.
  static constexpr std::size_t kSmallMax = (std::size_t{1} << 20) + (std::size_t{1} << 18);
  // Size of each of the two shares; an eighth of the limit, if that is less.
  static constexpr std::size_t kShareMax = std::size_t{64} << 20;

  class Account;

  explicit MemoryLedger(std::size_t limit);

  [[nodiscard]] std::size_t limit() const { return limit_; }
  [[nodiscard]] std::size_t held(Kind kind) const;
  [[nodiscard]] std::size_t held() const;  // of all kinds
  [[nodiscard]] std::array<std::size_t, 3> held_by_kind() const;
  // Room left for an account that is not small.
  [[nodiscard]] std::size_t room() const;

  // Counts a request that is answered with 503 because it found no room. Called once for each.
  void note_refused() { refused_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }
  // The same, and that it was its body that found none.
  void note_body_refused() {
    note_refused();
    bodies_refused_.fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t bodies_refused() const { return bodies_refused_.load(std::memory_order_relaxed); }

  // varve_memory_bytes{kind} and varve_http_shed_total.
  static void register_metrics(const std::shared_ptr<MemoryLedger>& ledger, Metrics& metrics);

 private:
  struct Share {
    std::size_t max = 0;
    std::size_t used = 0;
    [[nodiscard]] bool has(std::size_t bytes) const { return bytes <= max - used; }
  };
  enum class Place { bodies, queries, rest };

  // False: there is no room, and nothing has changed.
  bool move(Account& account, Kind kind, std::size_t bytes) VARVE_EXCLUDES(mutex_);
  Share& share(Place place) VARVE_REQUIRES(mutex_) { return shares_[static_cast<std::size_t>(place)]; }

  const std::size_t limit_;
  mutable Mutex mutex_;                                   // nothing is called under it
  std::array<Share, 3> shares_ VARVE_GUARDED_BY(mutex_);  // by Place; together they have the limit
  std::array<std::size_t, 3> held_ VARVE_GUARDED_BY(mutex_){};
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<std::uint64_t> bodies_refused_{0};
};

// The memory of one kind that one request holds; released when the account is destroyed. One thread at a time.
class MemoryLedger::Account {
 public:
  // Without a ledger every request is granted.
  Account(std::shared_ptr<MemoryLedger> ledger, Kind kind) : ledger_(std::move(ledger)), kind_(kind) {}
  ~Account() { clear(); }
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;

  // Treats the account as large, however little it holds yet, so that it does not use a share for small ones. Until
  // clear().
  void expect_large() { large_ = true; }
  // Sets the size. False: there is no room, and nothing has changed. Shrinking never fails.
  [[nodiscard]] bool resize(std::size_t bytes) { return become(kind_, bytes); }
  // The same, and changes the kind.
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
