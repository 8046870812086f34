// SPDX-License-Identifier: Apache-2.0
// RangeCopier: the cells of one token range into varve, and what was counted on the way.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "migrate/kairosdb_source.h"
#include "migrate/progress.h"
#include "migrate/target.h"
#include "migrate/totals.h"

namespace varve::migrate {

// What all threads of a migration share.
struct Copying {
  const KairosdbSource& source;
  Target& target;
  Strings strings = Strings::plain;
  model::Timestamp old_before_ms = model::kTimestampMin;  // samples before are counted as old
  // Called for each partition with bad cells (or a bad key), by any thread, once a range.
  std::function<void(std::string_view key, std::string_view why, std::uint64_t cells)> bad;
  std::atomic<bool> stopping = false;
  std::atomic<std::uint64_t> cells_read = 0, samples_written = 0;  // for showing; ranges begun again count again
};

class RangeCopier {
 public:
  using Shared = Copying;
  using Progress = migrate::Progress;
  explicit RangeCopier(Copying& shared);
  // Everything in it is durable and visible in varve when this has succeeded. Done again it changes nothing.
  Result<Totals> copy(std::size_t range);

 private:
  struct Partition {
    std::string stored;  // its key; empty: none yet
    DataKey key;
    MetricCount* count = nullptr;  // nullptr: the key names no metric
    bool taken = false;            // its series; false: see why
    std::string why;               // of bad cells, the first reason
    std::uint64_t cells = 0, bad = 0;
  };
  Status begin(std::string_view key);
  void end();
  Status cell(std::string_view column, std::string_view value);
  void bad(std::string why);
  void refused(const Refusal& refusal);

  Copying& shared_;
  Totals totals_;
  const Refused refused_;
  const std::unique_ptr<Sink> sink_;
  Partition partition_;
  std::string room_;
};

}  // namespace varve::migrate
