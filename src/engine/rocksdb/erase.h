// SPDX-License-Identifier: Apache-2.0
// Erase: deletes the samples of some series in a time range, and their windows.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

#include "engine/rocksdb/erase/erasure.h"
#include "engine/rocksdb/flush.h"
#include "engine/rocksdb/jobs.h"
#include "model/time_ranges.h"
#include "storage/sample_store.h"

namespace varve::engine::rocksdb {

// What a delete has given back.
struct Freed {
  std::uint64_t bytes = 0;
  RunList runs;  // that were removed
};

// Serves one delete; its arguments must outlive it. Semantics: SampleStore::erase() in storage/sample_store.h.
class Erase {
 public:
  Erase(model::TenantId tenant, std::span<const model::SeriesId> series, model::TimeRange range,
        const std::atomic<bool>* cancelled)
      : tenant_(tenant), series_(series), range_(model::without_limits(range)), cancelled_(cancelled) {}

  // A job like those of jobs.h. Holds the flush lock at its start and at its end, but not while it rewrites slots.
  // `between` is called between two steps: there others may do their work, as long as only flushes change the runs of
  // this tenant.
  Status run(const JobContext& job, Flush& flush, const std::function<void()>& between) VARVE_EXCLUDES(flush.mutex);
  // Compacts the keys of what was removed. Call it after run(), without the maintenance lock: it may run beside other
  // jobs.
  void give_back_room(Database& database) const;
  [[nodiscard]] const storage::EraseReport& report() const { return report_; }

 private:
  Status rewrite(const JobContext& job, const Erasure& erasure, std::uint64_t raw_number,
                 const std::function<void()>& between);

  const model::TenantId tenant_;
  const std::span<const model::SeriesId> series_;
  const model::TimeRange range_;
  const std::atomic<bool>* const cancelled_;
  storage::EraseReport report_;
  Freed freed_;
};

}  // namespace varve::engine::rocksdb
