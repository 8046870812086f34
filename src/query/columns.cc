// SPDX-License-Identifier: Apache-2.0
#include "query/columns.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/sort_unique.h"
#include "query/number_runs.h"
#include "query/selection.h"

namespace varve::query {
namespace {

// A stretch of time, and the selections that want all of it.
struct Stretch {
  model::TimeRange range;
  std::vector<std::size_t> selections;
};

// Cut wherever a range begins or ends, so that nothing is read twice, nor for who did not ask for it. In order of time.
std::vector<Stretch> stretches_of(std::span<const Selected> selected) {
  std::vector<model::Timestamp> cuts;
  for (const Selected& one : selected) {
    if (!one.range.empty()) cuts.insert(cuts.end(), {one.range.first, one.range.last});
  }
  sort_unique(cuts);
  std::vector<Stretch> out;
  for (std::size_t c = 1; c < cuts.size(); ++c) {
    Stretch stretch{{cuts[c - 1], cuts[c]}, {}};
    for (std::size_t i = 0; i < selected.size(); ++i) {
      const model::TimeRange& range = selected[i].range;
      if (range.first <= stretch.range.first && stretch.range.last <= range.last) stretch.selections.push_back(i);
    }
    if (!stretch.selections.empty()) out.push_back(std::move(stretch));
  }
  return out;
}

Column column_of(Run run) {
  Column column;
  column.values.resize(run.size());
  for (std::size_t i = 0; i < run.size(); ++i) column.values[i] = run.number(i);
  column.times = std::move(run.times);
  return column;
}

std::size_t column_bytes(const Column& column) {
  return column.times.capacity() * sizeof(column.times[0]) + column.values.capacity() * sizeof(column.values[0]);
}

}  // namespace

class Columns::Reader {
 public:
  Reader(const Engine& engine, model::TenantId tenant, std::span<const Selected> selected, UnderWay& query,
         Columns& out)
      : engine_(engine), tenant_(tenant), selected_(selected), query_(query), out_(out) {}

  Status select() {
    std::vector<std::vector<model::SeriesId>> found(selected_.size());
    std::map<model::SeriesId, std::uint32_t> names;  // of each series
    SeriesMetrics metrics;
    for (std::size_t i = 0; i < selected_.size(); ++i) {
      const auto add = [&](const std::string& name, std::span<const model::SeriesId> series) -> Status {
        constexpr std::size_t kBytesOfSeries = 96;
        VARVE_RETURN_IF_ERROR(query_.budget().charge(series.size() * kBytesOfSeries + sizeof name + name.size()));
        const auto number = static_cast<std::uint32_t>(metrics.names.size());
        for (const model::SeriesId one : series) names.emplace(one, number);
        found[i].insert(found[i].end(), series.begin(), series.end());
        if (found[i].size() > selected_[i].series_max) {
          return fail(Code::limit, "more than " + std::to_string(selected_[i].series_max) +
                                       " series are selected: name more labels");
        }
        metrics.names.push_back(name);
        return {};
      };
      VARVE_RETURN_IF_ERROR(for_each_metric(engine_.series(), tenant_, selected_[i].metric, selected_[i].matchers,
                                            selected_[i].range, query_.deadline(), add));
    }
    for (const auto& [id, name] : names) {
      series_.push_back(id);
      metrics.name_of.push_back(name);
    }
    for (std::vector<model::SeriesId>& of_one : found) {
      std::ranges::sort(of_one);
      auto& places = out_.selections_.emplace_back();
      for (const model::SeriesId one : of_one) {
        places.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(series_, one) - series_.begin()));
      }
    }
    query_.ticket().count().series(series_.size());
    VARVE_ASSIGN_OR_RETURN(out_.tags_, TagTable::read(engine_.series(), tenant_, series_, metrics, query_.budget()));
    return {};
  }

  Status scan() {
    NumberRuns runs(series_.size(), query_.budget(), &query_.ticket(), NumberRuns::Markers::wanted);
    for (const Stretch& stretch : stretches_of(selected_)) VARVE_RETURN_IF_ERROR(scan(stretch, runs));
    out_.columns_.reserve(series_.size());
    for (std::size_t i = 0; i < series_.size(); ++i) {
      VARVE_ASSIGN_OR_RETURN(Column column, take(runs, i));
      out_.columns_.push_back(std::move(column));
    }
    return {};
  }

  // Of the only selection.
  Status each(const Sink& sink) {
    std::size_t some = kFirstSeries;
    for (std::size_t first = 0; first < series_.size();) {
      some = std::min(some, series_.size() - first);
      VARVE_ASSIGN_OR_RETURN(const std::size_t bytes, each_of(first, some, sink));
      first += some;
      some = std::clamp(kSliceBytes * some / std::max<std::size_t>(bytes, 1), kSeriesLeast, kSeriesMost);
    }
    return {};
  }

 private:
  // So much is read at a time: what a core's cache holds, and several series for each thread.
  static constexpr std::size_t kSliceBytes = std::size_t{4} << 20;
  static constexpr std::size_t kFirstSeries = 64, kSeriesLeast = 16, kSeriesMost = 4096;

  // Returns the bytes of all columns.
  Result<std::size_t> each_of(std::size_t first, std::size_t some, const Sink& sink) {
    NumberRuns runs(some, query_.budget(), &query_.ticket(), NumberRuns::Markers::wanted);
    VARVE_RETURN_IF_ERROR(scan(std::span(series_).subspan(first, some), selected_[0].range, runs));
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < some; ++i) {
      VARVE_ASSIGN_OR_RETURN(Column column, take(runs, i));
      const std::size_t held = column_bytes(column);
      bytes += held;
      if (!column.times.empty()) {
        VARVE_RETURN_IF_ERROR(sink(out_.tags_, static_cast<std::uint32_t>(first + i), std::move(column)));
      }
      query_.budget().release(held);
    }
    return bytes;
  }

  // It stays charged, column_bytes() of it.
  Result<Column> take(NumberRuns& runs, std::size_t series) const {
    Run run = runs.take(series);
    const std::size_t before = bytes_of(run), values = run.size() * sizeof(double);
    VARVE_RETURN_IF_ERROR(query_.budget().charge(values));
    Column column = column_of(std::move(run));
    query_.budget().release(before + values - column_bytes(column));
    return column;
  }

  Status scan(const Stretch& stretch, NumberRuns& runs) const {
    std::vector<std::uint32_t> places;
    for (const std::size_t i : stretch.selections) {
      std::vector<std::uint32_t> both;
      std::ranges::set_union(places, out_.selections_[i], std::back_inserter(both));
      places = std::move(both);
    }
    std::vector<model::SeriesId> series;
    for (const std::uint32_t place : places) series.push_back(series_[place]);
    runs.begin_scan(places);
    return scan(series, stretch.range, runs);
  }

  Status scan(std::span<const model::SeriesId> series, model::TimeRange range, NumberRuns& runs) const {
    const unsigned threads = threads_for(series.size(), engine_.limits());
    return engine_.samples().scan(tenant_, series, query_.deadline().options(range, threads), runs);
  }

  const Engine& engine_;
  const model::TenantId tenant_;
  const std::span<const Selected> selected_;
  UnderWay& query_;
  Columns& out_;
  std::vector<model::SeriesId> series_;
};

Result<Columns> Columns::read(const Engine& engine, std::string_view tenant, std::span<const Selected> selected,
                              UnderWay& query) {
  Columns out;
  VARVE_ASSIGN_OR_RETURN(const auto known, engine.series().find_tenant(tenant));
  out.selections_.resize(known ? 0 : selected.size());
  if (!known) return out;
  Reader reader(engine, *known, selected, query, out);
  VARVE_RETURN_IF_ERROR(reader.select());
  VARVE_RETURN_IF_ERROR(reader.scan());
  return out;
}

Status Columns::each(const Engine& engine, std::string_view tenant, const Selected& selected, UnderWay& query,
                     const Sink& sink) {
  VARVE_ASSIGN_OR_RETURN(const auto known, engine.series().find_tenant(tenant));
  if (!known || selected.range.empty()) return {};
  Columns columns;
  Reader reader(engine, *known, {&selected, 1}, query, columns);
  const std::size_t before = query.budget().used();
  VARVE_RETURN_IF_ERROR(reader.select());
  const std::size_t charged = query.budget().used() - before;
  VARVE_RETURN_IF_ERROR(reader.each(sink));
  query.budget().release(charged);
  return {};
}

}  // namespace varve::query
