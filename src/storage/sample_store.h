// SPDX-License-Identifier: Apache-2.0
// SampleStore: takes rows in durably and gives samples back as columns.
// Both engines implement it and pass storage/store_contract.h. All methods are thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "model/ids.h"
#include "model/row.h"
#include "model/time.h"
#include "model/value.h"

namespace varve::storage {

// Samples of one series in one time range, all of one type; times ascend and are unique.
struct Piece {
  std::size_t series = 0;  // position in the list given to scan()
  model::ValueType type = model::ValueType::long_;
  std::span<const model::Timestamp> times;
  std::span<const std::uint64_t> bits;      // long and double: as in model::Value
  std::span<const std::string_view> texts;  // the others: as in model::Value
  [[nodiscard]] std::size_t size() const { return times.size(); }
};

// What is known of a chunk without decoding it. Only for pieces whose type is long or double.
struct ChunkStats {
  std::size_t series = 0;
  model::ValueType type = model::ValueType::long_;
  model::Timestamp first_time = 0;  // of its samples, both inclusive
  model::Timestamp last_time = 0;
  std::uint64_t count = 0;
  double min = 0;
  double max = 0;
  double sum = 0;
};

// What a sink wants to know of windows beside their starts and counts.
struct WindowFields {
  bool first_time = false, sum = false, min = false, max = false;
  // Of what: windows of numbers, the histograms of windows, or both. What is not wanted comes as samples.
  bool numbers = true, histograms = false;
  [[nodiscard]] bool extremes() const { return min || max; }
};

// Windows [start, start + width) of a rollup, of the numbers of one series, as columns; starts ascend.
struct WindowColumns {
  std::size_t series = 0;  // position in the list given to scan()
  std::int64_t width_ms = 0;
  std::span<const model::Timestamp> starts;
  std::span<const std::uint64_t> counts;  // not 0
  // The fields that are wanted; others may be empty. Sums and extremes: doubles, as in model::Value.
  std::span<const std::uint64_t> offsets;  // of the first sample from the start, ms
  std::span<const std::uint64_t> sums, mins, maxs;

  [[nodiscard]] std::size_t size() const { return starts.size(); }
  [[nodiscard]] WindowColumns part(std::size_t first, std::size_t count) const {
    const auto cut = [&](const auto& column) { return column.empty() ? column : column.subspan(first, count); };
    return {series, width_ms, cut(starts), cut(counts), cut(offsets), cut(sums), cut(mins), cut(maxs)};
  }
};

// The histograms in windows [k × width, (k + 1) × width) of one series, those of a window as one: of all values that
// they counted (model/histogram.h). Bins, counts and extremes are the same whatever windows they come by; a sum of
// doubles is that of another order. Times ascend.
struct HistogramColumns {
  std::size_t series = 0;  // position in the list given to scan()
  std::int64_t width_ms = 0;
  std::span<const model::Timestamp> times;   // of the first histogram in each window
  std::span<const std::uint64_t> counts;     // how many histograms there were; not 0
  std::span<const std::string_view> merged;  // model::encode
  [[nodiscard]] std::size_t size() const { return times.size(); }
};

// Receives what a scan reads. Calls for one series come from one thread at a time and in ascending order of time
// windows; pieces of one series never share a timestamp, but pieces of different types may interleave inside a window.
// Different series may come from different threads at once. Views are valid during the call only.
class PieceSink {
 public:
  virtual ~PieceSink() = default;
  // May the scan give this chunk's statistics instead of its samples? Asked only where they are exact.
  virtual bool takes_stats(const ChunkStats& stats) = 0;
  virtual void stats(const ChunkStats& stats) = 0;
  // Would windows [k × width, (k + 1) × width) of a rollup do for this series' samples in `range`, with the fields of
  // window_fields()? `range` begins and ends at a window's edge. What else is in the range comes as pieces: texts,
  // complex numbers, and what is not wanted as windows.
  virtual bool takes_windows(std::size_t series, model::TimeRange range, std::int64_t width_ms) {
    (void)series, (void)range, (void)width_ms;
    return false;
  }
  [[nodiscard]] virtual WindowFields window_fields(std::size_t series) const {
    (void)series;
    return {};
  }
  // Many at once, because each call may cost a lock; not empty. Extremes may be NaN: the samples are gone and nobody
  // knows them.
  virtual void window_columns(const WindowColumns& windows) { (void)windows; }
  // Not empty. Beside them pieces may have other histograms of the same window. Errors as of piece().
  virtual Status histogram_columns(const HistogramColumns& windows) {
    (void)windows;
    return {};
  }
  // An error (limit: over budget) ends the scan with that error.
  virtual Status piece(const Piece& piece) = 0;
};

struct ScanOptions {
  model::TimeRange range;
  unsigned threads = 1;                          // upper bound of parallelism over series
  const std::atomic<bool>* cancelled = nullptr;  // looked at between blocks: Code::cancelled
  std::int64_t deadline_steady_ns = 0;           // 0: none; past it: Code::timeout
  bool windows = true;                           // false: read samples also where they are rolled up
};

struct SettleReport {
  std::uint64_t slots_sealed = 0;
  std::uint64_t chunks_written = 0;
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;  // of the chunks written
};

struct StorageBytes {
  std::uint64_t wal = 0, hot = 0, sealed = 0, rollup = 0, index = 0;
};

struct EraseReport {
  // That went, about: one that stands in two line groups, or was written twice, may count twice; windows whose samples
  // retention had dropped do not count.
  std::uint64_t samples = 0;
  std::uint64_t slots = 0;  // that held some of them
};

class SampleStore {
 public:
  using AppendDone = std::function<void(Status)>;
  virtual ~SampleStore() = default;

  // Appends the batch. `done` is called once: when the batch is visible to every scan that starts later and as durable
  // as storage.sync says, or with an error (unavailable: disk full, stopping, overload), in which case nothing of it is
  // kept. Rows of forgotten series that the tenant has no room for are left out: limit, if those are all, else invalid,
  // and the others are kept. `done` may run inside append() or on the store's commit thread: it must not block. The
  // batch's bytes are not needed after append() has returned. Rows of one series count in the order of append() calls,
  // and those of one call in their order, if they are of one group.
  virtual void append(const model::RowBatch& batch, AppendDone done) = 0;

  // Reads the series' samples in range (last write wins) into `sink`. Values of different types of a series come as
  // separate pieces. Errors: cancelled, timeout, corrupt, or what the sink answered.
  virtual Status scan(model::TenantId tenant, std::span<const model::SeriesId> series, const ScanOptions& options,
                      PieceSink& sink) = 0;

  // Erases the samples of these series (of others of the tenant's list: nothing) with times in `range`: those that
  // append() had made visible before this was called are gone for good when it returns, for samples, statistics and
  // windows. What is appended later stays, also at the same times. What is appended during the call is either.
  // Of samples that retention has dropped, windows go that lie wholly in the range; others stay as they are.
  // Blocking; one at a time. Errors: cancelled, unavailable (disk full), corrupt, io; then a part of the range, from
  // its beginning, may have been erased and nothing else is touched. The same call may be made again.
  virtual Result<EraseReport> erase(model::TenantId tenant, std::span<const model::SeriesId> series,
                                    model::TimeRange range, const std::atomic<bool>* cancelled) = 0;

  // Seals every slot that has ended, merges fragments, compacts. Blocking; one at a time.
  virtual Result<SettleReport> settle() = 0;

  [[nodiscard]] virtual StorageBytes storage_bytes() const = 0;
};

}  // namespace varve::storage
