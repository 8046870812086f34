// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/hot/watermark.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/check.h"
#include "engine/cassandra/tables/cell.h"

namespace varve::engine::cassandra {
namespace {

constexpr std::string_view kEnded = "ended";

std::unexpected<Error> no_lease() {
  return fail(Code::unavailable, "Cassandra has not answered this replica for " +
                                     std::to_string(Watermark::kLeaseMs / 1000) + " s: try again");
}

}  // namespace

bool Watermark::fresh(std::int64_t now_ns) const {
  return renewed_ns_ && now_ns - *renewed_ns_ <= kLeaseMs * 1'000'000;
}

// --- appends

// Drawn under the lock: what a renewal publishes is below all that begins after it.
Result<Watermark::Append> Watermark::begin(std::int64_t now_us) {
  const MutexLock lock(mutex_);
  if (closed_) return fail(Code::unavailable, "the process ends");
  if (!fresh(clock_.steady_ns())) return no_lease();
  const Append append{stamps_.draw(now_us), lease_};
  const bool is_new = under_way_.insert(append.first_us).second;
  check(is_new, "two appends have arrivals of their own");
  return append;
}

Status Watermark::end(const Append& append) {
  const MutexLock lock(mutex_);
  under_way_.erase(append.first_us);
  if (append.lease != lease_) {
    return fail(Code::unavailable, "this replica was stopped or cut off while it was written: try again");
  }
  if (!fresh(clock_.steady_ns())) return no_lease();
  return {};
}

Status Watermark::end(const Append& append, Status status, std::int64_t start_ns, std::int64_t most_ms) {
  const std::int64_t took_ms = (clock_.steady_ns() - start_ns) / 1'000'000;
  Status ended = end(append);
  if (!status) return status;
  if (took_ms <= most_ms) return ended;
  return fail(Code::unavailable, "writing took " + std::to_string(took_ms) + " ms, which is too long: try again");
}

// --- renewing

// Under a lease that has run out nothing is acknowledged any more: what began under it need not be waited for, and is
// refused whenever it ends.
Result<Watermark::Renewal> Watermark::begin_renewal() {
  const MutexLock lock(mutex_);
  if (closed_) return fail(Code::unavailable, "the process ends");
  Renewal renewal{.begin_ns = clock_.steady_ns()};
  if (!fresh(renewal.begin_ns)) {
    check(!closed_, "no lease begins after the end");
    ++lease_;
    under_way_.clear();
  }
  renewal.stamp_us = stamps_.draw(clock_.now_ms() * 1000);
  renewal.first_us = under_way_.empty() ? renewal.stamp_us : *under_way_.begin();
  check(renewal.first_us <= renewal.stamp_us, "what is under way began before");
  return renewal;
}

// Stamps ascend, and so does what they are the timestamps of. They also tell one renewal from the next while an append
// holds L back.
RowWrite Watermark::row(const Renewal& renewal, const std::string& word) const {
  return {&tables_.alarms,
          {partition()},
          {bigint_cell(options_.source)},
          {timestamp_cell(renewal.first_us), word + " " + options_.replica},
          renewal.stamp_us,
          kRowLivesS};
}

Result<Watermark::Rows> Watermark::read() {
  const RowRead read{&tables_.alarms, {partition()}, {}, {}, {"at", "replica"}};
  Rows found;
  VARVE_RETURN_IF_ERROR(rows_.read({&read, 1}, {}, [&](std::size_t, const RowView& row) -> Status {
    VARVE_ASSIGN_OR_RETURN(const std::int64_t source, bigint_of(row.cells[0]));
    Seen& seen = found[source];
    VARVE_ASSIGN_OR_RETURN(seen.first_us, timestamp_of(row.cells[1]));
    seen.text = row.cells[2];
    return {};
  }));
  // Until now a row may have been changed that the reading found.
  for (auto& [source, seen] : found) seen.since_ns = clock_.steady_ns();
  return found;
}

// Who vanished counts for as long as if the row still stood.
void Watermark::note(Rows found, std::int64_t read_ns) {
  found.erase(options_.source);
  for (auto& [source, seen] : found) {
    const auto known = others_.find(source);
    if (known != others_.end() && known->second.first_us == seen.first_us && known->second.text == seen.text) {
      seen.since_ns = known->second.since_ns;
    }
  }
  std::erase_if(others_, [&](const auto& other) { return read_ns - other.second.since_ns > kDeadMs * 1'000'000; });
  found.merge(others_);
  others_ = std::move(found);
}

Status Watermark::renew() {
  const MutexLock only_one(renewing_);
  VARVE_ASSIGN_OR_RETURN(const Renewal renewal, begin_renewal());
  std::vector<RowWrite> rows;
  rows.push_back(row(renewal, std::to_string(renewal.stamp_us)));
  VARVE_RETURN_IF_ERROR(rows_.write_now(std::move(rows)));
  const std::int64_t read_ns = clock_.steady_ns();
  VARVE_ASSIGN_OR_RETURN(Rows found, read());

  // Before anything more begins.
  for (const auto& [source, seen] : found) stamps_.now(seen.first_us);
  const MutexLock lock(mutex_);
  note(std::move(found), read_ns);
  std::int64_t least_us = renewal.first_us;
  for (const auto& [source, seen] : others_) {
    const bool dead = read_ns - seen.since_ns > kDeadMs * 1'000'000;
    const bool ended = seen.text.starts_with(kEnded);
    if (!dead && !ended) least_us = std::min(least_us, seen.first_us);
  }
  reached_us_ = std::max(reached_us_, least_us);
  check(reached_us_ <= renewal.stamp_us, "the watermark is not above what was drawn");
  renewed_ns_ = renewal.begin_ns;
  return {};
}

void Watermark::close() {
  const MutexLock only_one(renewing_);
  const auto renewal = begin_renewal();
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    // Where Cassandra is away nobody waits for it to come back.
    if (!renewal || !under_way_.empty() || !fresh(clock_.steady_ns())) return;
  }
  std::vector<RowWrite> rows;
  rows.push_back(row(*renewal, std::string(kEnded)));
  std::ignore = rows_.write_now(std::move(rows));
}

// --- reading

std::optional<std::int64_t> Watermark::value() const {
  const MutexLock lock(mutex_);
  if (!fresh(clock_.steady_ns())) return std::nullopt;
  return reached_us_;
}

std::int64_t Watermark::reached_us() const {
  const MutexLock lock(mutex_);
  return reached_us_;
}

bool Watermark::has_lease() const {
  const MutexLock lock(mutex_);
  return fresh(clock_.steady_ns());
}

}  // namespace varve::engine::cassandra
