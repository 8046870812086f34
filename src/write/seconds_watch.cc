// SPDX-License-Identifier: Apache-2.0
#include "write/seconds_watch.h"

#include "base/log.h"
#include "model/time.h"

namespace varve::write {
namespace {

constexpr std::int64_t kYearsBack = 10 * std::int64_t{365} * 86'400;  // s

}  // namespace

SecondsWatch::SecondsWatch(const Clock* clock, Metrics* metrics) : clock_(clock) {
  if (metrics == nullptr) return;
  counter_ = &metrics->counter("varve_samples_of_1970_total",
                               "Samples stored in January 1970 whose times would be of the last ten years in seconds.");
}

void SecondsWatch::look(std::string_view tenant, std::string_view protocol, const model::RowBatch& batch) {
  if (clock_ == nullptr || batch.empty()) return;
  const model::Timestamp time = batch.row_at(0).time();
  const std::int64_t now_s = clock_->now_ms() / 1000;
  if (time < now_s - kYearsBack || time > now_s + model::kDayMs / 1000) return;
  if (counter_ != nullptr) counter_->add(batch.samples());
  const std::int64_t steady = clock_->steady_ns();
  const MutexLock lock(mutex_);
  since_ += batch.samples();
  if (said_ns_ != 0 && steady - said_ns_ < kSayEveryNs) return;
  log::warn("times look like seconds, but count as milliseconds: the samples are stored in January 1970",
            {{"tenant", tenant}, {"protocol", protocol}, {"time", time}, {"samples", since_}});
  said_ns_ = steady;
  since_ = 0;
}

}  // namespace varve::write
