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
    NumberRuns runs(series_.size(), query_.budget(), &query_.ticket());
    for (const Stretch& stretch : stretches_of(selected_)) VARVE_RETURN_IF_ERROR(scan(stretch, runs));
    out_.columns_.reserve(series_.size());
    for (std::size_t i = 0; i < series_.size(); ++i) {
      Run run = runs.take(i);
      const std::size_t before = bytes_of(run);
      VARVE_RETURN_IF_ERROR(query_.budget().charge(run.size() * sizeof(double)));
      const std::size_t values = run.size() * sizeof(double);
      out_.columns_.push_back(column_of(std::move(run)));
      query_.budget().release(before + values - column_bytes(out_.columns_.back()));
    }
    return {};
  }

 private:
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
    const unsigned threads = threads_for(series.size(), engine_.limits());
    return engine_.samples().scan(tenant_, series, query_.deadline().options(stretch.range, threads), runs);
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

}  // namespace varve::query
