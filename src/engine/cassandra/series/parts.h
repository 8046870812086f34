// SPDX-License-Identifier: Apache-2.0
// Parts: which parts of the index were read, when, and whether they have to be read again. A thread that needs a part
// that another one is reading waits for it, so many queries of the same part read it once.
//
// A part is good while its number is the one that the replicas share (tracker/redis/versions.h), for a minute at most;
// for an hour in index buckets that are over, in which hardly anything is ever announced. Without Redis the number is
// not known: then each query reads the part again, or relies on it for as long as its caller allows.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "engine/cassandra/tables/row_store.h"
#include "model/ids.h"
#include "model/time.h"

namespace varve::engine::cassandra {

enum class PartKind { names, windows, forgotten, series };

struct PartKey {
  PartKind kind = PartKind::names;
  model::TenantId tenant{};
  std::string metric;           // not of names
  model::Timestamp bucket = 0;  // of series only
  auto operator<=>(const PartKey&) const = default;
};

struct PartWanted {
  PartKey key;
  std::uint64_t number = 0;  // of the index, or of forgetting, as it is now
};

// A part that is to be read now.
struct PartRead {
  PartKey key;
  std::int64_t from_us = 0;  // what came before that was read; 0: nothing was
};

class Parts {
 public:
  static constexpr std::int64_t kGoodNs = 60'000'000'000;
  static constexpr std::int64_t kOldFactor = 60;          // of index buckets that are over
  static constexpr std::int64_t kOverlapUs = 60'000'000;  // announcements take less (announcer.h)

  using Read = std::function<Status(const std::vector<PartRead>&)>;

  explicit Parts(const Clock& clock) : clock_(clock) {}

  struct Trust {
    bool asked = false;  // Redis has answered: numbers are known
    std::uint64_t epoch = 0;
    std::int64_t good_ns = kGoodNs;
    // Without Redis: readings that began after that many, or are younger than that.
    std::uint64_t since = 0;
    std::int64_t alone_ns = 0;
  };
  // That have begun.
  [[nodiscard]] std::uint64_t readings() const;
  // Returns when all of them are good; calls `read` for those that nobody is reading.
  Status ensure(const std::vector<PartWanted>& wanted, const Trust& trust, const RowStore::ReadLimits& limits,
                const Read& read);
  // What was announced of the metric since then is to be read again.
  void read_again(model::TenantId tenant, const std::string& metric, std::int64_t from_us);
  // What was announced for index buckets before that one is to be read again, if anybody asks for it.
  void read_again_before(model::Timestamp bucket);

 private:
  struct Part {
    bool known = false;  // all is as of the last reading
    bool asked = false;
    std::uint64_t epoch = 0, number = 0;
    std::int64_t read_us = 0, read_ns = 0;
    std::uint64_t reading_number = 0;
    std::int64_t again_us = 0;  // read_again() while it was being read
    bool reading = false;
    std::uint64_t round = 0;  // of readings
    Status result;            // of the last
  };
  [[nodiscard]] bool is_good(const PartKey& key, const Part& part, std::uint64_t number, const Trust& trust) const;
  // True: some of them are to be read again.
  Result<bool> read_claimed(const std::vector<PartWanted>& claimed, const Trust& trust, const Read& read);
  Status wait(const PartKey& key, std::uint64_t round, const RowStore::ReadLimits& limits);

  const Clock& clock_;
  mutable Mutex mutex_;
  Condition changed_;
  std::map<PartKey, Part> parts_ VARVE_GUARDED_BY(mutex_);
  std::uint64_t readings_ VARVE_GUARDED_BY(mutex_) = 0;
};

}  // namespace varve::engine::cassandra
