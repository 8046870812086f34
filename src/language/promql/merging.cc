// SPDX-License-Identifier: Apache-2.0
#include "language/promql/merging.h"

#include <utility>

namespace varve::language::promql {

Status Distinct::add(const Labels& labels) {
  if (!needed_) return {};
  key_.clear();
  append_key(key_, labels);
  VARVE_ASSIGN_OR_RETURN(Charge more, evaluation_.budget().charge(sizeof key_ + key_.size()));
  held_.absorb(std::move(more));
  if (!known_.insert(key_).second) return fail(Code::invalid, std::string(kSameLabels));
  return {};
}

Status Merger::add(Series&& series, std::string_view conflict) {
  key_.clear();
  append_key(key_, series.labels);
  const auto [found, is_new] = places_.try_emplace(key_, series_.size());
  if (is_new) {
    VARVE_ASSIGN_OR_RETURN(Charge more, evaluation_.budget().charge(sizeof *found + key_.size()));
    held_.absorb(std::move(more));
    series_.push_back(std::move(series));
    return {};
  }
  VARVE_RETURN_IF_ERROR(evaluation_.spend(series.points.size()));
  Column& into = series_[found->second].points;
  const auto& words = series.points.words();
  for (std::size_t at = 0; at < words.size(); ++at) {
    if ((words[at] & into.words()[at]) != 0) return fail(Code::invalid, std::string(conflict));
  }
  series.points.each([&](std::size_t step) { into.set(step, series.points[step]); });
  return {};
}

Status Merger::give(const SeriesSink& sink) {
  places_.clear();
  for (Series& one : std::exchange(series_, {})) {
    if (!one.points.empty()) VARVE_RETURN_IF_ERROR(sink(std::move(one)));
  }
  return {};
}

Status NamelessSink::take(Series&& series) {
  if (!keeps_names_) drop_name(series.labels);
  if (!streams_) return merger_.add(std::move(series));
  return series.points.empty() ? Status{} : sink_(std::move(series));
}

}  // namespace varve::language::promql
