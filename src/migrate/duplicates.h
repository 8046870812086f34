// SPDX-License-Identifier: Apache-2.0
// Duplicates: samples of one series at one time that KairosDB keeps apart because their types differ, as rows of
// several types or as an integer and a double in an old row. varve keeps one value for a series and a time: that which
// was written last. They lie in different token ranges, so this reads once more, and only for metrics that are named.
#pragma once

#include <map>
#include <string>

#include "base/mutex.h"
#include "base/task_pool.h"
#include "migrate/range_copier.h"

namespace varve::migrate {

class Duplicates {
 public:
  using Types = std::map<std::string, std::uint8_t, std::less<>>;  // metric → MetricCount::types
  using Found = std::map<std::string, std::uint64_t, std::less<>>;

  Duplicates(Copying& shared, Types metrics, model::Timestamp from)
      : shared_(shared), metrics_(std::move(metrics)), from_(from) {}

  // Writes the one that counts again, so that it is the last, and answers how many others there are per metric, of
  // those from `from` on. All ranges have been copied. Blocking. Errors: as of RangeCopier::copy().
  Result<Found> resolve(TaskPool& pool, std::size_t threads);

 private:
  Status range(std::size_t number);
  Status partition(std::string_view stored, Sink& sink);

  Copying& shared_;
  const Types metrics_;
  const model::Timestamp from_;
  Mutex mutex_;
  Found found_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::migrate
