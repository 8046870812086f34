// SPDX-License-Identifier: Apache-2.0
// Sinks of a scan that count: how many samples each window has, and when its first was.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "model/time.h"
#include "query/budget.h"
#include "query/presence.h"
#include "query/running.h"
#include "storage/sample_store.h"

namespace varve::query {

// The samples of one series in one window, or some of them.
struct Seen {
  std::size_t window = 0;  // of the range, from 0
  std::uint64_t points = 0;
  model::Timestamp first_ms = 0;
};

// Reduces what a scan of `range` gives to what was seen in the windows that the range consists of. Thread-safe as the
// scan needs it.
class PresenceSink : public storage::PieceSink {
 public:
  // The range begins and ends at windows' edges. The ticket must outlive the sink.
  PresenceSink(model::TimeRange range, std::int64_t width_ms, RunningQueries::Ticket& ticket)
      : range_(range), width_ms_(width_ms), ticket_(ticket) {}

  bool takes_stats(const storage::ChunkStats& stats) final;
  void stats(const storage::ChunkStats& stats) final;
  bool takes_windows(std::size_t series, model::TimeRange range, std::int64_t width_ms) final;
  [[nodiscard]] storage::WindowFields window_fields(std::size_t) const final { return {.first_time = true}; }
  void window_columns(const storage::WindowColumns& windows) final;
  Status piece(const storage::Piece& piece) final;

  // A call was over budget that has no way to say so itself.
  [[nodiscard]] bool over() const { return over_; }

 protected:
  [[nodiscard]] std::size_t windows() const { return index(range_.last); }
  [[nodiscard]] model::Timestamp start(std::size_t window) const {
    return range_.first + static_cast<std::int64_t>(window) * width_ms_;
  }

 private:
  // Windows ascend within one call. A window may come again: what is no number, and what came late, come apart.
  // Error: limit.
  virtual Status add(std::size_t series, std::span<const Seen> seen) = 0;

  [[nodiscard]] std::size_t index(model::Timestamp time) const {
    return static_cast<std::size_t>((time - range_.first) / width_ms_);
  }
  void note(std::size_t series, std::span<const Seen> seen) {
    if (!over_ && !add(series, seen)) over_ = true;
  }

  const model::TimeRange range_;
  const std::int64_t width_ms_;
  RunningQueries::Ticket& ticket_;
  std::atomic<bool> over_{false};
};

// All series together. Holds bytes_of() of them; the caller has charged that.
class TotalsSink final : public PresenceSink {
 public:
  TotalsSink(std::size_t series, model::TimeRange range, std::int64_t width_ms, RunningQueries::Ticket& ticket);

  static std::size_t bytes_of(std::size_t series, std::size_t windows) {
    return series * windows / 8 + 8 + windows * sizeof(Total);
  }
  // After the scan: appends windows with samples, ascending, until there are `limit` in `out`.
  void append_to(std::vector<MetricWindow>& out, std::size_t limit) const;

 private:
  struct Total {
    model::Timestamp first_ms = 0;
    std::uint64_t series = 0;
    std::uint64_t points = 0;
  };
  Status add(std::size_t series, std::span<const Seen> seen) override;

  mutable Mutex mutex_;
  std::vector<Total> totals_ VARVE_GUARDED_BY(mutex_);
  std::vector<std::uint64_t> marks_ VARVE_GUARDED_BY(mutex_);  // a bit a series and window: it has been counted there
};

// Each series by itself.
class RowsSink final : public PresenceSink {
 public:
  RowsSink(std::size_t series, model::TimeRange range, std::int64_t width_ms, RunningQueries::Ticket& ticket,
           Budget& budget)
      : PresenceSink(range, width_ms, ticket), rows_(series), budget_(budget) {}
  ~RowsSink() override { budget_.release(charged_); }
  RowsSink(const RowsSink&) = delete;
  RowsSink& operator=(const RowsSink&) = delete;

  // After the scan.
  std::vector<std::vector<SeriesWindow>>& rows() { return rows_; }

 private:
  Status add(std::size_t series, std::span<const Seen> seen) override;

  std::vector<std::vector<SeriesWindow>> rows_;
  Budget& budget_;
  std::atomic<std::size_t> charged_{0};
};

}  // namespace varve::query
