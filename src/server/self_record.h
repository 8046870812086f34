// SPDX-License-Identifier: Apache-2.0
// The server's own metrics as series of the tenant `varve`, so that a newcomer's first query has an answer and an
// operator has history without a second system.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "model/row.h"
#include "storage/sample_store.h"
#include "storage/series_store.h"
#include "write/refusals.h"

namespace varve::server {

// Goes to the stores directly, not through the Writer: varve_samples_accepted_total counts what clients sent.
// One thread.
class SelfRecord {
 public:
  // `instance` becomes a tag of every series.
  // `refusals`: told how each record ends; nullptr: nobody is.
  SelfRecord(const Metrics& metrics, storage::SeriesStore& series, storage::SampleStore& samples, const Clock& clock,
             std::string instance, write::Refusals* refusals = nullptr);

  // Appends every number there is, at the clock's time. Does not wait until that is durable. An error is also told to
  // the log, once until it works again.
  Status record();

 private:
  using Labels = std::vector<std::pair<std::string, std::string>>;
  // The numbers that share their labels are one line group: one timestamp and one row for all of them.
  struct Group {
    std::vector<std::string> names;
    std::vector<model::Value> values;
  };
  Status append(const Labels& labels, const Group& group, std::int64_t now_ms);
  Result<model::KeptGroup> line_group(const Labels& labels, const std::vector<std::string>& names);

  const Metrics& metrics_;
  storage::SeriesStore& series_;
  storage::SampleStore& samples_;
  const Clock& clock_;
  std::string instance_;
  write::Refusals* const refusals_;
  // By labels and names: a metric that appears later makes a new group.
  std::map<std::pair<Labels, std::vector<std::string>>, model::KeptGroup> groups_;
  std::uint64_t generation_ = 0;  // SeriesStore::group_generation() when they were asked for
  model::RowBatch batch_;
  bool failing_ = false;
};

}  // namespace varve::server
