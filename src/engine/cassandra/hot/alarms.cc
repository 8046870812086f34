// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/hot/alarms.h"

#include <algorithm>

#include "base/log.h"
#include "engine/cassandra/tables/cell.h"

namespace varve::engine::cassandra {

// `at` says when the row was written, to the millisecond: who deletes it later takes away no newer one.
RowWrite Alarms::row(std::int64_t stamp_us) const {
  return {&tables_.alarms,
          {options_.id},
          {bigint_cell(options_.source)},
          {timestamp_cell(stamp_us / 1000), options_.replica},
          stamp_us,
          0};
}

void Alarms::raise(Done done) {
  std::int64_t stamp_us = 0;
  {
    const std::lock_guard lock(mutex_);
    ++raised_;
    owing_ = true;
    // One that was not refreshed may have been taken for a dead process' by now, and away.
    if (written_us_ == 0 || clock_.now_ms() - written_us_ / 1000 > kDeadMs / 2) {
      waiting_.push_back(std::move(done));
      if (writing_) return;
      writing_ = true;
      stamp_us = stamps_.draw(clock_.now_ms() * 1000);
    }
  }
  if (stamp_us == 0) return done({});
  std::vector<RowWrite> rows;
  rows.push_back(row(stamp_us));
  rows_.write(std::move(rows), [this, stamp_us](const Status& status) { written(stamp_us, status); });
}

// If it was taken back meanwhile, what waits is made up for already; those that began to wait since then are told to
// try again.
void Alarms::written(std::int64_t stamp_us, const Status& status) {
  std::vector<Done> waiting;
  bool stands = false;
  {
    const std::lock_guard lock(mutex_);
    waiting.swap(waiting_);
    writing_ = false;
    stands = stamp_us > cleared_us_;
    if (status && stands) written_us_ = std::max(written_us_, stamp_us);
  }
  for (Done& done : waiting) {
    if (!status) {
      done(fail(status.error()));
    } else if (!stands) {
      done(fail(Code::unavailable, "Redis comes and goes: try again"));
    } else {
      done({});
    }
  }
}

bool Alarms::any() const {
  const std::lock_guard lock(mutex_);
  return owing_ || !others_.empty();
}

Status Alarms::turn() {
  VARVE_CHECK_OK(refresh());
  VARVE_CHECK_OK(look());
  return recover();
}

Status Alarms::refresh() {
  std::int64_t stamp_us = 0;
  {
    const std::lock_guard lock(mutex_);
    const std::int64_t now_us = clock_.now_ms() * 1000;
    if (written_us_ == 0 || now_us - written_us_ < kRefreshMs * 1000) return {};
    stamp_us = stamps_.draw(now_us);
  }
  std::vector<RowWrite> rows;
  rows.push_back(row(stamp_us));
  VARVE_CHECK_OK(rows_.write_now(std::move(rows)));
  const std::lock_guard lock(mutex_);
  written_us_ = stamp_us;  // only turns take it back
  return {};
}

Status Alarms::look() {
  {
    const std::lock_guard lock(mutex_);
    if (clock_.steady_ns() < look_again_ns_) return {};
  }
  const RowRead read{&tables_.alarms, {options_.id}, {}, {}, {"at"}};
  std::vector<Other> found;
  VARVE_CHECK_OK(rows_.read({&read, 1}, {}, [&](std::size_t, const RowView& row) -> Status {
    Other other;
    VARVE_TRY(other.source, bigint_of(row.cells[0]));
    VARVE_TRY(other.at_ms, timestamp_of(row.cells[1]));
    if (other.source != options_.source) found.push_back(other);
    return {};
  }));
  const std::lock_guard lock(mutex_);
  others_ = std::move(found);
  look_again_ns_ = clock_.steady_ns() + kLookMs * 1'000'000;
  return {};
}

Status Alarms::recover() {
  VARVE_CHECK_OK(trackers_.check());
  std::uint64_t raised = 0;
  bool owing = false;
  std::vector<Other> dead;
  {
    const std::lock_guard lock(mutex_);
    raised = raised_;
    owing = owing_;
    std::ranges::copy_if(others_, std::back_inserter(dead),
                         [&](const Other& other) { return clock_.now_ms() - other.at_ms > kDeadMs; });
  }
  if (owing || !dead.empty()) {
    log::warn("touches are missing in Redis", {{"own", owing ? "yes" : "no"}, {"dead", dead.size()}});
    VARVE_CHECK_OK(trackers_.declare_lost());
  } else if (!trackers_.lost()) {
    return {};
  }
  VARVE_CHECK_OK(trackers_.recover([this] { return journal_.replay(trackers_); }));

  std::vector<RowDelete> gone;
  for (const Other& other : dead) {
    gone.push_back({&tables_.alarms, {options_.id}, {bigint_cell(other.source)}, other.at_ms * 1000 + 999});
  }
  {
    const std::lock_guard lock(mutex_);
    if (owing && raised == raised_) {  // otherwise touches failed while the journal was read
      cleared_us_ = stamps_.draw(clock_.now_ms() * 1000);
      gone.push_back({&tables_.alarms, {options_.id}, {bigint_cell(options_.source)}, cleared_us_});
      owing_ = false;
      written_us_ = 0;
    }
  }
  if (!gone.empty()) VARVE_CHECK_OK(rows_.erase_now(std::move(gone)));
  const std::lock_guard lock(mutex_);
  std::erase_if(others_, [&](const Other& other) {
    return std::ranges::any_of(dead, [&](const Other& one) { return one.source == other.source; });
  });
  return {};
}

}  // namespace varve::engine::cassandra
