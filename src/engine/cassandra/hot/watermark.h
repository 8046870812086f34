// SPDX-License-Identifier: Apache-2.0
// Watermark: a number W such that every hot row of any replica that arrived before W stands, or will never be
// acknowledged.
//
// Each replica publishes L once a second: the first arrival that it has under way, or where there is none a number that
// it has just drawn. Its later arrivals are above L. It then reads what all have published, raises its own numbers to
// the greatest of them, and takes the least for W. Its own L is one of those: so W is never above what it published
// before it read.
//
// A renewal is all of that. It gives a lease, which counts from when the renewal *began*; writes begin and are
// acknowledged while it lasts. If it has run out, the next renewal gives another lease, and whatever began under an
// earlier one is refused. So if an observer did not see a process' row, or took it for dead, then the row that this
// process wrote for its next renewal stood only after the observer began to read; it read after that, saw at least what
// the observer had published, and draws above that.
//
// A process counts as dead when its row (each renewal changes it) stayed the same for kDeadMs between the end of the
// reading that found it and the beginning of another one. What it began may be acknowledged until two leases after the
// row was written: a renewal may begin at the end of the first one.
//
// Rows are never taken back, only marked as ended: whoever starts next must see how high the numbers were. A row that
// is written late, its writer not knowing, is an earlier L with an earlier timestamp: it covers none, and W never goes
// down. All waiting is by each one's own steady clock, so only the clocks' rates matter, as in docs/decisions/0024.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "engine/cassandra/series/stamps.h"
#include "engine/cassandra/tables/row_store.h"
#include "engine/cassandra/tables/schema.h"

namespace varve::engine::cassandra {

// Thread-safe.
class Watermark {
 public:
  static constexpr std::int64_t kLeaseMs = 10'000;  // since the last renewal began
  // Two leases, and what steady clocks differ in.
  static constexpr std::int64_t kDeadMs = 30'000;
  static constexpr std::uint32_t kRowLivesS = 86'400;  // since the last renewal

  struct Options {
    std::string id = "varve";  // of the installation
    std::int64_t source = 0;   // of this process: as in its hot rows
    std::string replica;       // its name, for people
  };
  // `stamps`: those that the arrivals are drawn from. `clock`: the one that all replicas share. `rows` must not make
  // the row wait behind the writes whose lease this is.
  Watermark(Options options, const Tables& tables, RowStore& rows, Stamps& stamps, const Clock& clock)
      : options_(std::move(options)), tables_(tables), rows_(rows), stamps_(stamps), clock_(clock) {}

  // An append under way.
  struct Append {
    std::int64_t first_us = 0;  // its first arrival; further ones are drawn from the stamps
    std::uint64_t lease = 0;
  };
  // Must be followed by end(). Errors: unavailable (there is no lease).
  Result<Append> begin(std::int64_t now_us);
  // Once, when its rows stand and all else is done, or it has failed. An error (unavailable): it must not be
  // acknowledged.
  Status end(const Append& append);
  // The same for who has begun at `start_ns` (of the steady clock), with what became of it: what took longer than
  // `most_ms` must not be acknowledged either.
  Status end(const Append& append, Status status, std::int64_t start_ns, std::int64_t most_ms);

  // Once a second; blocking, one at a time. Errors: those of the store, or unavailable after close().
  Status renew();
  // For the end of the process: others need not wait until it is dead. Blocking; best effort, and nothing at all while
  // something is under way.
  void close();

  // In µs, as arrivals are. None before the first renewal, or without a lease. It never goes down.
  [[nodiscard]] std::optional<std::int64_t> value() const;
  // The same for people, also without a lease; 0: none yet.
  [[nodiscard]] std::int64_t reached_us() const;
  [[nodiscard]] bool has_lease() const;

 private:
  struct Renewal {
    std::int64_t begin_ns = 0;
    std::int64_t stamp_us = 0;
    std::int64_t first_us = 0;  // L
  };
  struct Seen {
    std::int64_t first_us = 0;
    std::string text;           // names the renewal
    std::int64_t since_ns = 0;  // it has not changed
  };
  using Rows = std::map<std::int64_t, Seen>;  // by source

  [[nodiscard]] bool fresh(std::int64_t now_ns) const VARVE_REQUIRES(mutex_);
  [[nodiscard]] Result<Renewal> begin_renewal();
  RowWrite row(const Renewal& renewal, const std::string& word) const;
  [[nodiscard]] std::string partition() const { return options_.id + "|watermark"; }
  Result<Rows> read();
  void note(Rows found, std::int64_t read_ns) VARVE_REQUIRES(mutex_);

  const Options options_;
  const Tables& tables_;
  RowStore& rows_;
  Stamps& stamps_;
  const Clock& clock_;

  Mutex renewing_ VARVE_ACQUIRED_BEFORE(mutex_);
  mutable Mutex mutex_;
  bool closed_ VARVE_GUARDED_BY(mutex_) = false;
  std::uint64_t lease_ VARVE_GUARDED_BY(mutex_) = 0;
  std::optional<std::int64_t> renewed_ns_ VARVE_GUARDED_BY(mutex_);  // when the last renewal that succeeded began
  std::set<std::int64_t> under_way_ VARVE_GUARDED_BY(mutex_);        // first arrivals of appends of this lease
  Rows others_ VARVE_GUARDED_BY(mutex_);
  std::int64_t reached_us_ VARVE_GUARDED_BY(mutex_) = 0;
};

}  // namespace varve::engine::cassandra
