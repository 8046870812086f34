// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/hot/missed_touches.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "engine/cassandra/tables/cell.h"

namespace varve::engine::cassandra {

// `at` says when the row was written, to the millisecond: who deletes it later takes away no newer one.
RowWrite MissedTouches::row(std::int64_t stamp_us) const {
  return {&tables_.alarms,
          {options_.id},
          {bigint_cell(options_.source)},
          {timestamp_cell(stamp_us / 1000), options_.replica},
          stamp_us,
          0};
}

// Each is of a later millisecond than the one before, also where the clock went back: a refresh is seen by that.
std::int64_t MissedTouches::next_stamp() {
  return stamps_.draw(std::max(clock_.now_ms() * 1000, written_us_ == 0 ? 0 : written_us_ + 1000));
}

// It is heard some time after it stood first, or again where it may have been away.
void MissedTouches::stood(std::int64_t stamp_us, std::int64_t now_ns) {
  if (!stands(now_ns)) heard_ns_ = now_ns + kHeardMs * 1'000'000;
  written_us_ = std::max(written_us_, stamp_us);
  written_ns_ = now_ns;
}

void MissedTouches::raise(Done done) {
  std::int64_t stamp_us = 0;
  bool closed = false;
  {
    const MutexLock lock(mutex_);
    const std::int64_t now_ns = clock_.steady_ns();
    ++raised_;
    owing_ = true;
    closed = closed_;
    if (!closed && !heard(now_ns)) {
      waiting_.push_back(std::move(done));
      if (stands(now_ns) || writing_) return;
      writing_ = true;
      stamp_us = next_stamp();
    }
  }
  if (closed) return done(fail(Code::unavailable, "the process ends"));
  if (stamp_us == 0) return done({});
  std::vector<RowWrite> rows;
  rows.push_back(row(stamp_us));
  rows_.write(std::move(rows), [this, stamp_us](const Status& status) { written(stamp_us, status); });
}

// If it was taken back meanwhile, what waits is made up for already; those that began to wait since then are told to
// try again.
void MissedTouches::written(std::int64_t stamp_us, const Status& status) {
  std::vector<Done> waiting;
  {
    const MutexLock lock(mutex_);
    check(writing_, "the row that was written was under way");
    writing_ = false;
    const bool stays = stamp_us > cleared_us_;
    if (status && stays) return stood(stamp_us, clock_.steady_ns());
    waiting.swap(waiting_);
  }
  for (Done& done : waiting) {
    done(status ? fail(Code::unavailable, "Redis comes and goes: try again") : fail(status.error()));
  }
}

void MissedTouches::tell_heard() {
  std::vector<Done> waiting;
  {
    const MutexLock lock(mutex_);
    if (waiting_.empty() || !heard(clock_.steady_ns())) return;
    waiting.swap(waiting_);
  }
  for (Done& done : waiting) done({});
}

void MissedTouches::close() {
  std::vector<Done> waiting;
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    waiting.swap(waiting_);
  }
  for (Done& done : waiting) done(fail(Code::unavailable, "the process ends"));
}

bool MissedTouches::unheard() const {
  const MutexLock lock(mutex_);
  return owing_ && !heard(clock_.steady_ns());
}

Result<bool> MissedTouches::any() {
  VARVE_RETURN_IF_ERROR(look(kTrustedMs * 1'000'000));
  const MutexLock lock(mutex_);
  return owing_ || !others_.empty();
}

Status MissedTouches::turn() {
  VARVE_RETURN_IF_ERROR(refresh());
  VARVE_RETURN_IF_ERROR(look(0));
  return recover();
}

Status MissedTouches::refresh() {
  std::int64_t stamp_us = 0;
  {
    const MutexLock lock(mutex_);
    if (written_us_ == 0 || clock_.steady_ns() - written_ns_ < kRefreshMs * 1'000'000) return {};
    stamp_us = next_stamp();
  }
  std::vector<RowWrite> rows;
  rows.push_back(row(stamp_us));
  VARVE_RETURN_IF_ERROR(rows_.write_now(std::move(rows)));
  const MutexLock lock(mutex_);
  stood(stamp_us, clock_.steady_ns());  // only turns take it back
  return {};
}

// Unless one began that is not older than that.
Status MissedTouches::look(std::int64_t trusted_ns) {
  const MutexLock only_one(looking_);
  const std::int64_t begin_ns = clock_.steady_ns();
  {
    const MutexLock lock(mutex_);
    if (looked_ && begin_ns - looked_ns_ < trusted_ns) return {};
  }
  const RowRead read{&tables_.alarms, {options_.id}, {}, {}, {"at"}};
  std::vector<Other> found;
  VARVE_RETURN_IF_ERROR(rows_.read({&read, 1}, {}, [&](std::size_t, const RowView& row) -> Status {
    Other other{0, 0, begin_ns};
    VARVE_ASSIGN_OR_RETURN(other.source, bigint_of(row.cells[0]));
    VARVE_ASSIGN_OR_RETURN(other.at_ms, timestamp_of(row.cells[1]));
    if (other.source != options_.source) found.push_back(other);
    return {};
  }));
  const MutexLock lock(mutex_);
  for (Other& other : found) {
    const auto known = std::ranges::find(others_, other.source, &Other::source);
    if (known != others_.end() && known->at_ms == other.at_ms) other.seen_ns = known->seen_ns;
  }
  others_ = std::move(found);
  looked_ = true;
  looked_ns_ = begin_ns;
  return {};
}

// Of what was raised until then the journal was replayed. Otherwise touches failed while it was read.
std::vector<MissedTouches::Done> MissedTouches::take_back(std::uint64_t raised, std::vector<RowDelete>& gone) {
  const MutexLock lock(mutex_);
  if (raised != raised_) return {};
  cleared_us_ = stamps_.draw(clock_.now_ms() * 1000);
  gone.push_back({&tables_.alarms, {options_.id}, {bigint_cell(options_.source)}, cleared_us_});
  owing_ = false;
  written_us_ = 0;
  return std::exchange(waiting_, {});
}

Status MissedTouches::recover() {
  VARVE_RETURN_IF_ERROR(trackers_.check());
  std::uint64_t raised = 0;
  bool owing = false;
  std::vector<Other> dead;
  {
    const MutexLock lock(mutex_);
    const std::int64_t now_ns = clock_.steady_ns();
    raised = raised_;
    owing = owing_;
    std::ranges::copy_if(others_, std::back_inserter(dead),
                         [&](const Other& other) { return now_ns - other.seen_ns > kDeadMs * 1'000'000; });
  }
  if (owing || !dead.empty()) {
    log::warn("touches are missing in Redis", {{"own", owing ? "yes" : "no"}, {"dead", dead.size()}});
    VARVE_RETURN_IF_ERROR(trackers_.declare_lost());
  } else if (!trackers_.lost()) {
    return {};
  }
  VARVE_RETURN_IF_ERROR(trackers_.recover([this] { return journal_.replay(trackers_); }));

  std::vector<RowDelete> gone;
  for (const Other& other : dead) {
    gone.push_back({&tables_.alarms, {options_.id}, {bigint_cell(other.source)}, other.at_ms * 1000 + 999});
  }
  std::vector<Done> made_up_for;
  if (owing) made_up_for = take_back(raised, gone);
  for (Done& done : made_up_for) done({});
  if (!gone.empty()) VARVE_RETURN_IF_ERROR(rows_.erase_now(std::move(gone)));
  const MutexLock lock(mutex_);
  std::erase_if(others_, [&](const Other& other) {
    return std::ranges::any_of(dead, [&](const Other& one) { return one.source == other.source; });
  });
  return {};
}

}  // namespace varve::engine::cassandra
