// SPDX-License-Identifier: Apache-2.0
#include "query/presence.h"

#include <algorithm>
#include <optional>

#include "query/deadline.h"
#include "query/presence_sink.h"
#include "query/seen.h"

namespace varve::query {

namespace {

using model::SeriesId;
using model::TimeRange;
using model::Timestamp;
using storage::SeriesStats;

constexpr std::size_t kWindowsAtOnce = std::size_t{1} << 20;  // of one scan
constexpr std::size_t kScanBytes = std::size_t{64} << 20;     // of one scan's windows
constexpr std::size_t kSeriesAtLeast = 32;                    // of one scan, however many windows each may have
constexpr std::size_t kSeriesAtMost = 10'000;                 // and however few

// With whole windows at both ends.
TimeRange widened(TimeRange range, std::int64_t width_ms) {
  return {model::window_start(range.first, width_ms), model::window_start(range.last - 1, width_ms) + width_ms};
}

std::size_t windows_in(TimeRange range, std::int64_t width_ms) {
  return static_cast<std::size_t>((range.last - range.first) / width_ms);
}

// One question, part of a query under way.
class Asked {
 public:
  Asked(const Engine& engine, const PresenceQuery& query, UnderWay& under_way)
      : engine_(engine),
        query_(query),
        budget_(under_way.budget()),
        ticket_(under_way.ticket()),
        deadline_(under_way.deadline()) {}

  Result<MetricWindows> of_metric(const index::Matchers& matchers, std::size_t limit);
  Result<SeriesWindows> of_series(std::span<const SeriesId> series, std::span<const SeriesStats> stats,
                                  std::size_t windows_max);

 private:
  struct Alive {
    SeriesId series{};
    Timestamp first_ms = 0;
    Timestamp last_ms = 0;
    [[nodiscard]] bool touches(TimeRange range) const { return first_ms < range.last && last_ms >= range.first; }
  };

  Result<std::vector<Alive>> alive_in(TimeRange range, const index::Matchers& matchers, std::size_t wanted);
  static std::optional<TimeRange> rest_of(std::span<const Alive> alive, TimeRange range);
  Status read(std::span<const Alive> alive, TimeRange range, std::vector<MetricWindow>& found, std::size_t limit);
  Result<Timestamp> next_seen(std::span<const Alive> alive, TimeRange range, std::size_t windows);
  [[nodiscard]] std::size_t windows_at_once(std::size_t series, std::size_t wanted) const;
  Status scan(std::span<const SeriesId> series, TimeRange range, PresenceSink& sink);
  template <class T>
  T finished(T out) const {
    out.read = ticket_.read();
    return out;
  }

  const Engine& engine_;
  const PresenceQuery& query_;
  Budget& budget_;
  RunningQueries::Ticket& ticket_;
  const Deadline& deadline_;
  model::TenantId tenant_{};
};

// Series that fit and whose first and last sample may enclose some of the range, ascending. Where one scan finds all
// that is wanted, it is not looked up when each was seen: that may cost more than the scan.
Result<std::vector<Asked::Alive>> Asked::alive_in(TimeRange range, const index::Matchers& matchers,
                                                  std::size_t wanted) {
  VARVE_ASSIGN_OR_RETURN(const auto series,
                         engine_.series().select(tenant_, query_.metric, matchers, range, still_wanted(deadline_)));
  VARVE_RETURN_IF_ERROR(budget_.charge(series.size() * (sizeof(SeriesId) + sizeof(Alive))));
  ticket_.count().series(series.size());
  std::vector<Alive> alive;
  if (windows_in(range, query_.width_ms) <= windows_at_once(series.size(), wanted)) {
    for (const SeriesId one : series) alive.push_back({one, range.first, range.last - 1});
    return alive;
  }
  const auto add = [&](std::size_t i, const SeriesStats& stats) {
    alive.push_back({series[i], stats.first_ms, stats.last_ms});
  };
  VARVE_RETURN_IF_ERROR(for_each_seen(engine_.series(), tenant_, series, range, deadline_, add));
  return alive;
}

// What of the range any of the series may have samples in, from its first to its last.
std::optional<TimeRange> Asked::rest_of(std::span<const Alive> alive, TimeRange range) {
  std::optional<TimeRange> rest;
  for (const Alive& one : alive) {
    if (!one.touches(range)) continue;
    const TimeRange own{std::max(one.first_ms, range.first), std::min(one.last_ms + 1, range.last)};
    rest = rest ? TimeRange{std::min(rest->first, own.first), std::max(rest->last, own.last)} : own;
  }
  return rest;
}

std::size_t Asked::windows_at_once(std::size_t series, std::size_t wanted) const {
  const std::size_t bytes = std::min(kScanBytes, engine_.limits().memory_bytes / 4);
  const std::size_t most = bytes * 8 / (series + 8 * TotalsSink::bytes_of(0, 1));
  return std::clamp<std::size_t>(wanted, 1, std::clamp<std::size_t>(most, 1, kWindowsAtOnce));
}

// One scan at a time, of as many windows as are still wanted.
Result<MetricWindows> Asked::of_metric(const index::Matchers& matchers, std::size_t limit) {
  MetricWindows out;
  VARVE_ASSIGN_OR_RETURN(const auto tenant, engine_.series().find_tenant(query_.tenant));
  if (!tenant) {
    VARVE_RETURN_IF_ERROR(index::check_matchers(matchers));
    return out;
  }
  tenant_ = *tenant;
  TimeRange range = widened(query_.range, query_.width_ms);
  std::size_t wanted = limit + 1;
  VARVE_ASSIGN_OR_RETURN(const auto alive, alive_in(range, matchers, wanted));
  while (out.windows.size() <= limit) {
    const auto rest = rest_of(alive, range);
    if (!rest) break;
    range = widened(*rest, query_.width_ms);
    const std::size_t at_once = windows_at_once(alive.size(), wanted);
    const Timestamp end = std::min(range.last, range.first + static_cast<std::int64_t>(at_once) * query_.width_ms);
    const std::size_t before = out.windows.size();
    VARVE_RETURN_IF_ERROR(read(alive, {range.first, end}, out.windows, limit + 1));
    wanted = limit + 1 - std::min(limit + 1, out.windows.size());
    range.first = end;
    if (range.empty()) break;
    if (out.windows.size() == before) {
      VARVE_ASSIGN_OR_RETURN(range.first, next_seen(alive, range, at_once));
    }
  }
  out.more = out.windows.size() > limit;
  if (out.more) out.windows.pop_back();
  return finished(std::move(out));
}

// Where it goes on in a range that begins with so many windows without a sample, or more: the start of the window that
// has the next one, or the range's end. Whether there is one at all is asked of a stretch as a whole, which costs no
// memory by its windows; each is as long as all before, so that billions of windows are passed in few steps.
Result<Timestamp> Asked::next_seen(std::span<const Alive> alive, TimeRange range, std::size_t windows) {
  std::int64_t stretch_ms = static_cast<std::int64_t>(windows) * query_.width_ms;
  while (!range.empty()) {
    const TimeRange now{range.first, range.last - range.first <= stretch_ms ? range.last : range.first + stretch_ms};
    std::vector<SeriesId> series;
    for (const Alive& one : alive) {
      if (one.touches(now)) series.push_back(one.series);
    }
    std::vector<MetricWindow> found;
    if (!series.empty()) {
      const std::size_t bytes = series.size() * sizeof(SeriesId) + TotalsSink::bytes_of(series.size(), 1);
      VARVE_RETURN_IF_ERROR(budget_.charge(bytes));
      TotalsSink totals(series.size(), now, now.last - now.first, ticket_);
      VARVE_RETURN_IF_ERROR(scan(series, now, totals));
      totals.append_to(found, 1);
      budget_.release(bytes);
    }
    if (!found.empty()) return model::window_start(found[0].first_ms, query_.width_ms);
    range.first = now.last;
    if (stretch_ms < model::kTimestampMax / 2) stretch_ms *= 2;
  }
  return range.last;
}

Status Asked::read(std::span<const Alive> alive, TimeRange range, std::vector<MetricWindow>& found, std::size_t limit) {
  std::vector<SeriesId> series;
  for (const Alive& one : alive) {
    if (one.touches(range)) series.push_back(one.series);
  }
  const std::size_t bytes =
      series.size() * sizeof(SeriesId) + TotalsSink::bytes_of(series.size(), windows_in(range, query_.width_ms));
  VARVE_RETURN_IF_ERROR(budget_.charge(bytes));
  TotalsSink totals(series.size(), range, query_.width_ms, ticket_);
  VARVE_RETURN_IF_ERROR(scan(series, range, totals));
  const std::size_t held = found.capacity();
  totals.append_to(found, limit);
  budget_.release(bytes);
  return budget_.charge((found.capacity() - held) * sizeof(MetricWindow));
}

Result<SeriesWindows> Asked::of_series(std::span<const SeriesId> series, std::span<const SeriesStats> stats,
                                       std::size_t windows_max) {
  SeriesWindows out;
  VARVE_ASSIGN_OR_RETURN(const auto tenant, engine_.series().find_tenant(query_.tenant));
  if (!tenant) return out;
  tenant_ = *tenant;
  ticket_.count().series(series.size());
  VARVE_RETURN_IF_ERROR(budget_.charge(series.size() * (sizeof(Alive) + sizeof(std::vector<SeriesWindow>))));
  std::vector<Alive> alive;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (stats[i].points != 0) alive.push_back({series[i], stats[i].first_ms, stats[i].last_ms});
  }
  const auto rest = rest_of(alive, widened(query_.range, query_.width_ms));
  if (!rest) {
    out.of_series.resize(series.size());
    return out;
  }
  const TimeRange range = widened(*rest, query_.width_ms);
  const std::size_t at_once =
      std::clamp(kWindowsAtOnce / windows_in(range, query_.width_ms), kSeriesAtLeast, kSeriesAtMost);
  std::size_t windows = 0;
  for (std::size_t first = 0; first < series.size(); first += at_once) {
    const auto some = series.subspan(first, std::min(at_once, series.size() - first));
    RowsSink rows(some.size(), range, query_.width_ms, ticket_, budget_);
    VARVE_RETURN_IF_ERROR(scan(some, range, rows));
    for (auto& row : rows.rows()) {
      windows += row.size();
      if (windows > windows_max) {
        if (!out.of_series.empty()) return finished(std::move(out));
        return fail(Code::invalid, "a series has more than " + std::to_string(windows_max) +
                                       " windows from start to end; ask for a shorter time or a larger width");
      }
      VARVE_RETURN_IF_ERROR(budget_.charge(row.capacity() * sizeof(SeriesWindow)));
      out.of_series.push_back(std::move(row));
    }
  }
  return finished(std::move(out));
}

Status Asked::scan(std::span<const SeriesId> series, TimeRange range, PresenceSink& sink) {
  VARVE_RETURN_IF_ERROR(deadline_.check());
  const unsigned threads = threads_for(series.size(), engine_.limits());
  VARVE_RETURN_IF_ERROR(engine_.samples().scan(tenant_, series, deadline_.options(range, threads), sink));
  return sink.over() ? budget_.charge(0) : Status{};
}

}  // namespace

Result<MetricWindows> windows_of_metric(const Engine& engine, const PresenceQuery& query,
                                        const index::Matchers& matchers, std::size_t limit, UnderWay& under_way) {
  return under_way.explain(Asked(engine, query, under_way).of_metric(matchers, limit));
}

Result<SeriesWindows> windows_of_series(const Engine& engine, const PresenceQuery& query,
                                        std::span<const SeriesId> series, std::span<const SeriesStats> stats,
                                        std::size_t windows_max, UnderWay& under_way) {
  return under_way.explain(Asked(engine, query, under_way).of_series(series, stats, windows_max));
}

}  // namespace varve::query
