// SPDX-License-Identifier: Apache-2.0
// A collector's counters: each series by itself, then the sum of its group.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "aggregate/pipeline.h"
#include "query/collector.h"

namespace varve::query {

CountedSeries::How Collector::how(std::uint32_t series) const {
  return {counters_.evidence(series), aggregate::grows_in(*counter_, read_), windows_, charge_,
          counters_.has_own_rules(series)};
}

bool Collector::takes_counter(std::uint32_t series, const counter::Stretch& window) const {
  return counters_.evidence(series).agrees_with(window.rules, window.first_time, window.last_time);
}

Status Collector::counters(std::uint32_t series, const storage::CounterColumns& windows) {
  counted_samples_[series] += std::reduce(windows.counts.begin(), windows.counts.end());
  seen_[series] |= bit_of(Kind::number);
  return counted_[series].windows(how(series), windows.stretches, windows.summaries);
}

// Between samples around a range that has none it may have grown.
Status Collector::finish_counted() {
  for (std::uint32_t series = 0; series < counted_.size(); ++series) {
    VARVE_RETURN_IF_ERROR(counted_[series].finish(how(series)));
    if (!counted_[series].cells().cells().empty()) seen_[series] |= bit_of(Kind::number);
  }
  return {};
}

Status Collector::add_counted(std::uint32_t series, const storage::Piece& piece) {
  // Windows do not count what is no number.
  std::uint64_t samples = 0;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const bool is_number =
        piece.type != model::ValueType::double_ || std::isfinite(std::bit_cast<double>(piece.bits[i]));
    samples += is_number && read_.contains(piece.times[i]) ? 1 : 0;
  }
  if (samples != 0) seen_[series] |= bit_of(Kind::number);
  counted_samples_[series] += samples;
  return counted_[series].piece(how(series), piece.type, piece.times, piece.bits);
}

Result<aggregate::Points> Collector::counted_of(std::uint32_t group, std::uint64_t& samples) {
  aggregate::GrowthTotals totals(counter_->per_second);
  for (const std::uint32_t series : plan_.groups[group].members) {
    samples += counted_samples_[series];
    const std::size_t before = totals.totals().size();
    totals.add(counted_[series].cells().cells());
    VARVE_RETURN_IF_ERROR(
        budget_.charge((totals.totals().size() - before) * (sizeof(aggregate::GrowthTotals::Total) + sizeof(Number))));
    counted_[series] = {};
  }
  return aggregate::to_points(*counter_, windows_, totals, charge_);
}

// With a limit or splits: of the samples that these leave.
Status Collector::put_counted_parts(std::uint32_t group, MetricAnswer& answer) {
  struct CountedPart {
    aggregate::GrowthTotals totals;
    Number edge;  // as of Part
  };
  std::map<aggregate::SplitKey, CountedPart> parts;
  for (const std::uint32_t series : plan_.groups[group].members) {
    Run run = std::move(runs_[series]);
    if (run.size() == 0) continue;
    keep_each_type(run, pipeline_.limit, pipeline_.descending);
    answer.sample_size += run.size();
    for (const auto& [key, samples] : aggregate::split(pipeline_.splits, range_.first, std::move(run))) {
      aggregate::GrowthCells cells;
      counter::LastSample last;
      VARVE_RETURN_IF_ERROR(aggregate::count(counters_.evidence(series), last, samples,
                                             aggregate::grows_in(*counter_, read_), windows_, charge_, cells));
      const std::size_t at_edge = pipeline_.descending ? samples.size() - 1 : 0;
      const Number sample{samples.times[at_edge], samples.bits[at_edge], samples.type_of(at_edge)};
      const auto [at, is_new] = parts.try_emplace(key, aggregate::GrowthTotals(counter_->per_second), sample);
      if (pipeline_.descending ? at->second.edge < sample : sample < at->second.edge) at->second.edge = sample;
      at->second.totals.add(cells.cells());
    }
  }
  std::vector<std::pair<const aggregate::SplitKey*, const CountedPart*>> order;
  for (const auto& [key, part] : parts) order.emplace_back(&key, &part);
  std::ranges::stable_sort(order, [&](const auto& a, const auto& b) {
    return pipeline_.descending ? b.second->edge < a.second->edge : a.second->edge < b.second->edge;
  });
  const Group head = head_of(group, Kind::number);
  for (const auto& [key, part] : order) {
    Group one = head;
    one.split = *key;
    VARVE_ASSIGN_OR_RETURN(auto points, aggregate::to_points(*counter_, windows_, part->totals, charge_));
    VARVE_RETURN_IF_ERROR(put(std::move(one), std::move(points), std::span(pipeline_.stages).subspan(1), answer));
  }
  return {};
}

}  // namespace varve::query
