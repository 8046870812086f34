// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/leave_out.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "engine/rocksdb/log/log_aside.h"
#include "engine/shared/reader_turns.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;
// Definitions wait while an index catches up with the last ones.
constexpr std::size_t kCatchUpBytes = std::size_t{64} << 10;
constexpr int kCatchUps = 16;
constexpr int kTries = 3;
constexpr std::uint32_t kPagesUnderLock = 4;

}  // namespace

// What a power cut set aside names groups by their ids: with storage.repair it may still come back.
bool LeaveOut::much_is_gone() const {
  {
    const ReaderLock lock(catalog_.mutex);
    const std::size_t gone = catalog_.index.gone_count();
    if (gone < env_.options.gone_series_min || gone < catalog_.index.series_count()) return false;
  }
  return aside_files(directory_.wal()).empty();
}

bool LeaveOut::due() {
  const std::int64_t now = env_.clock.steady_ns();
  if (!told_ns_) {
    if (now < next_look_ns_) return false;
    next_look_ns_ = now + std::min(kLookEveryNs, env_.options.leave_every_ms * kNsPerMs);
    if (!much_is_gone()) return false;
    catalog_.change_group_generation();
    told_ns_ = now;
  }
  return now - *told_ns_ >= env_.options.leave_grace_ms * kNsPerMs;
}

Status LeaveOut::run() {
  told_ns_.reset();
  next_look_ns_ = env_.clock.steady_ns() + env_.options.leave_every_ms * kNsPerMs;
  VARVE_RETURN_IF_ERROR(tables_.database().clear_next_definitions());
  catalog_.note_definitions(true);
  Status status = leave();
  catalog_.note_definitions(false);
  return status;
}

Status LeaveOut::leave() {
  std::size_t before = 0;
  {
    const ReaderLock lock(catalog_.mutex);
    before = catalog_.index.gone_count();
  }
  std::string definitions;
  std::uint64_t sequence = 0;
  bool done = false;
  for (int tries = 0; tries < kTries && !done; ++tries) {
    definitions.clear();
    VARVE_ASSIGN_OR_RETURN(done, exchange(definitions, sequence));
  }
  if (!done) {
    log::info("series that are gone leave the index later: they, or their names, are needed again at this moment",
              {{"series", before}});
    told_ns_ = env_.clock.steady_ns() + kLookEveryNs - env_.options.leave_grace_ms * kNsPerMs;
    return {};
  }
  VARVE_RETURN_IF_ERROR(env_.step("leave.exchanged"));
  if (auto status = ingest_.log_definitions(); !status) {
    log::warn("what has left the index is not in the log yet", {{"error", status.error().message}});
  }
  forget_stats();
  VARVE_ASSIGN_OR_RETURN(const bool written, tables_.database().replace_definitions(sequence, definitions));
  log::info("series of which nothing is left have left the index", {{"series", before}, {"on_disk", written}});
  return {};
}

Result<bool> LeaveOut::exchange(std::string& definitions, std::uint64_t& sequence) {
  std::string left_out;
  static_cast<void>(catalog_.take_noted());
  {
    const storage::GoOn always;
    const ReaderLock lock(catalog_.mutex);
    shared::ReaderTurns turns(catalog_.mutex, always);
    VARVE_RETURN_IF_ERROR(catalog_.index.dump_what_is_left(definitions, left_out, &turns));
  }
  index::SeriesIndex other;  // and what was before, in the end, which is freed without any lock
  VARVE_RETURN_IF_ERROR(other.replay(std::as_bytes(std::span(definitions))));
  for (int rounds = 0; rounds < kCatchUps; ++rounds) {
    const std::string noted = catalog_.take_noted();
    if (!other.catch_up(std::as_bytes(std::span(noted)))) return false;
    definitions += noted;
    if (noted.size() < kCatchUpBytes) break;
  }
  VARVE_RETURN_IF_ERROR(env_.step("leave.ready"));
  bool done = false;
  VARVE_RETURN_IF_ERROR(flush_.between([&](std::uint64_t handed_over) {
    const auto last = catalog_.exchange_index(other, left_out);
    done = last.has_value();
    if (!done) return;
    definitions += *last;
    sequence = handed_over;
    tables_.database().begin_next_definitions();
  }));
  return done;
}

// Of what went with its slots the points are still known.
void LeaveOut::forget_stats() {
  Change change{.what = "leave"};
  const auto stats = visible_.stats();
  for (std::uint32_t number = 0; number < stats->page_count(); number += kPagesUnderLock) {
    const ReaderLock lock(catalog_.mutex);
    for (std::uint32_t n = number; n < std::min(stats->page_count(), number + kPagesUnderLock); ++n) {
      const StatsPage* const page = stats->page(n);
      for (std::uint32_t i = 0; page != nullptr && page->all().points > 0 && i < StatsPage::kSeries; ++i) {
        const model::SeriesId series{n * StatsPage::kSeries + i};
        if ((*page)[i].points > 0 && catalog_.index.series_tenant(series) == model::kNoTenant) {
          change.stats.forget(series);
        }
      }
    }
  }
  if (change.stats.empty()) return;
  Database::Draft draft(tables_.database());
  if (auto status = tables_.commit(std::move(change), draft); !status) {
    log::warn("the stats of series that have left stay", {{"error", status.error().message}});
  }
}

}  // namespace varve::engine::rocksdb
