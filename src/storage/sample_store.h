// SPDX-License-Identifier: Apache-2.0
// SampleStore: stores rows durably and returns samples as columns.
// Both engines implement it and pass storage/store_contract.h. All methods are thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "counter/stretch.h"
#include "model/ids.h"
#include "model/row.h"
#include "model/time.h"
#include "model/value.h"

namespace varve::storage {

// Samples of one series in one time range, all of one type; times ascend and are unique. Staleness markers are a type
// of their own, which only a sink gets that asks for them; they have nothing but times.
struct Piece {
  std::size_t series = 0;  // position in the list given to scan()
  model::ValueType type = model::ValueType::long_;
  std::span<const model::Timestamp> times;
  std::span<const std::uint64_t> bits;      // long and double: as in model::Value
  std::span<const std::string_view> texts;  // the others: as in model::Value
  [[nodiscard]] std::size_t size() const { return times.size(); }
};

// Statistics of a chunk, known without decoding it. Only for chunks of type long or double.
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

// The fields of windows that a sink needs besides starts and counts.
struct WindowFields {
  bool first_time = false, sum = false, min = false, max = false;
  // Which windows it accepts: of numbers, of histograms, or both; or of counters. Everything else is delivered as
  // samples.
  bool numbers = true, histograms = false;
  // In place of numbers: how a counter grew; and if that is asked, too, its summary.
  bool counters = false, summaries = false;
  [[nodiscard]] bool extremes() const { return min || max; }
};

// Windows [start, start + width) of a rollup, of the numbers of one series, as columns; starts ascend.
struct WindowColumns {
  std::size_t series = 0;  // position in the list given to scan()
  std::int64_t width_ms = 0;
  std::span<const model::Timestamp> starts;
  std::span<const std::uint64_t> counts;  // not 0
  // Only the fields that the sink asked for; others may be empty. Sums and extremes are doubles, as in model::Value.
  std::span<const std::uint64_t> offsets;  // of the first sample from the start, ms
  std::span<const std::uint64_t> sums, mins, maxs;

  [[nodiscard]] std::size_t size() const { return starts.size(); }
  [[nodiscard]] WindowColumns part(std::size_t first, std::size_t count) const {
    const auto cut = [&](const auto& column) { return column.empty() ? column : column.subspan(first, count); };
    return {series, width_ms, cut(starts), cut(counts), cut(offsets), cut(sums), cut(mins), cut(maxs)};
  }
};

// The histograms in windows [k × width, (k + 1) × width) of one series, merged into one histogram for each window
// (model/histogram.h). Bins, counts and extremes do not depend on the granularity that they come from; sums of doubles
// may differ in their last bits. Times ascend.
struct HistogramColumns {
  std::size_t series = 0;  // position in the list given to scan()
  std::int64_t width_ms = 0;
  std::span<const model::Timestamp> times;   // of the first histogram in each window
  std::span<const std::uint64_t> counts;     // how many histograms there were; not 0
  std::span<const std::string_view> merged;  // model::encode
  [[nodiscard]] std::size_t size() const { return times.size(); }
};

// How one counter grew, in windows [k × width, (k + 1) × width) that have numbers: in each of them, and how many
// numbers it has. Times ascend.
struct CounterColumns {
  std::size_t series = 0;  // position in the list given to scan()
  std::int64_t width_ms = 0;
  std::span<const counter::Stretch> stretches;
  std::span<const std::uint64_t> counts;                // not 0
  std::span<const counter::AnySummary> summaries = {};  // empty, unless WindowFields::summaries asked for them
};

// Receives what a scan reads. Calls for one series come from one thread at a time, in ascending order of time windows;
// pieces of one series never share a timestamp, but pieces of different types may interleave within a window. Different
// series may be delivered by different threads at the same time. Views are valid during the call only.
class PieceSink {
 public:
  virtual ~PieceSink() = default;
  // Does it want staleness markers? If not, all it gets is as if there were none.
  [[nodiscard]] virtual bool takes_markers() const { return false; }
  // May the scan deliver this chunk's statistics instead of its samples? Called only if they are exact.
  virtual bool takes_stats(const ChunkStats& stats) = 0;
  virtual void stats(const ChunkStats& stats) = 0;
  // May the scan deliver rollup windows [k × width, (k + 1) × width), with the fields of window_fields(), instead of
  // this series' samples in `range`? `range` begins and ends at the edge of a window. Everything else in the range is
  // delivered as pieces: texts, complex numbers, and what the sink does not accept as windows.
  virtual bool takes_windows(std::size_t series, model::TimeRange range, std::int64_t width_ms) {
    (void)series, (void)range, (void)width_ms;
    return false;
  }
  [[nodiscard]] virtual WindowFields window_fields(std::size_t series) const {
    (void)series;
    return {};
  }
  // Many windows at once, because each call may cost a lock; never empty. Extremes may be NaN, which means unknown: the
  // samples are gone and the rollup did not keep them.
  virtual void window_columns(const WindowColumns& windows) { (void)windows; }
  // Never empty. Pieces may contain further histograms of the same window. Errors as of piece().
  virtual Status histogram_columns(const HistogramColumns& windows) {
    (void)windows;
    return {};
  }
  // Is this as good as the samples of its window? If not, these are delivered, if they are there; a window whose
  // samples are gone is delivered in any case. Called by the thread that delivers.
  virtual bool takes_counter(std::size_t series, const counter::Stretch& window) {
    (void)series, (void)window;
    return false;
  }
  // Never empty. Samples of other windows, also of earlier ones, may follow. Errors as of piece().
  virtual Status counter_columns(const CounterColumns& windows) {
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
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  // of the chunks and blocks written
};

struct StorageBytes {
  std::uint64_t wal = 0, hot = 0, sealed = 0, rollup = 0, index = 0, message = 0;
};

struct EraseReport {
  // Samples erased, without markers, approximately: a sample that is in two line groups, or was written twice, may
  // count twice; windows whose samples retention had dropped do not count.
  std::uint64_t samples = 0;
  std::uint64_t slots = 0;  // that held some of them
};

class SampleStore {
 public:
  using AppendDone = std::function<void(Status)>;
  virtual ~SampleStore() = default;

  // Appends the batch. `done` is called once: when the batch is visible to every scan that starts later and as durable
  // as storage.sync says, or with an error (unavailable: disk full, stopping, overload), in which case nothing of it is
  // stored. Rows of dropped series that the tenant has no room for are left out: the error is limit if these are all
  // rows, else invalid, and the other rows are stored. Rows that no start would take (row_check.h: of a group that
  // there is not, with another number of values, of a time that there is not) are left out likewise: corrupt, or
  // invalid. `done` may run inside append() or on the store's commit thread: it must not block. The batch's bytes are
  // not needed after append() has returned. Of two samples of one series at one time, that of the later append() call
  // counts, and within a call the later row of the same group. A row of markers of forgotten series alone does not
  // bring them back: it is left out, as nothing has ended, and that is no error.
  virtual void append(const model::RowBatch& batch, AppendDone done) = 0;

  // Reads the series' samples in range (last write wins, also between values and markers) into `sink`. Values of
  // different types of a series are separate pieces. Errors: cancelled, timeout, corrupt, or the error that the sink
  // returned.
  virtual Status scan(model::TenantId tenant, std::span<const model::SeriesId> series, const ScanOptions& options,
                      PieceSink& sink) = 0;

  // Erases the samples of these series with times in `range`, their markers among them. Samples that append() had made
  // visible before the call are gone for good when it returns, from samples, statistics and windows. Samples appended
  // later stay, even at the same times; samples appended during the call may be erased or not. Where retention has
  // dropped the samples, windows that lie completely in the range are erased; others stay as they are. Blocking; one at
  // a time. Errors: cancelled, unavailable (disk full), corrupt, io; then a part of the range, from its beginning, may
  // have been erased, and nothing else was changed. The call may be repeated.
  virtual Result<EraseReport> erase(model::TenantId tenant, std::span<const model::SeriesId> series,
                                    model::TimeRange range, const std::atomic<bool>* cancelled) = 0;

  // Seals every slot that has ended, merges fragments, compacts. Blocking; one at a time.
  virtual Result<SettleReport> settle() = 0;

  [[nodiscard]] virtual StorageBytes storage_bytes() const = 0;
};

}  // namespace varve::storage
