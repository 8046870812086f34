// SPDX-License-Identifier: Apache-2.0
#include "language/promql/engine_source.h"

#include <algorithm>

#include "model/time_ranges.h"

namespace varve::language::promql {
namespace {

index::Matcher index_matcher(const Matcher& matcher) {
  using How = index::Matcher::Kind;
  How kind = How::any_of;
  switch (matcher.op) {
    case MatchOp::equal: kind = How::any_of; break;
    case MatchOp::not_equal: kind = How::none_of; break;
    case MatchOp::regex: kind = How::regex; break;
    case MatchOp::not_regex: kind = How::not_regex; break;
  }
  return {matcher.name, kind, {matcher.value}, matcher.regex};
}

// Samples from first_ms to last_ms that there can be, as a range whose end is exclusive.
model::TimeRange range_of(const Selection& selection) {
  return model::both({selection.first_ms, std::min(selection.last_ms, model::kTimestampMax) + 1}, model::TimeRange());
}

}  // namespace

query::Selected selected_by(std::span<const Matcher> matchers, model::TimeRange range) {
  query::Selected out{index::Matchers{}, {}, range};
  index::Matchers names;
  for (const Matcher& matcher : matchers) {
    (matcher.name == kNameLabel ? names : out.matchers).push_back(index_matcher(matcher));
  }
  const bool is_one = names.size() == 1 && names[0].kind == index::Matcher::Kind::any_of;
  if (is_one && !names[0].values[0].empty()) {
    out.metric = std::move(names[0].values[0]);
  } else {
    out.metric = std::move(names);
  }
  return out;
}

// Selectors within a subquery's steps, or of info(), may be asked for several times.
std::size_t EngineSource::place_of(const Matcher* matchers) {
  const auto known = std::ranges::find(reads_, matchers, &SelectorRead::matchers);
  const auto place = static_cast<std::size_t>(known - reads_.begin());
  if (known == reads_.end()) reads_.push_back({.matchers = matchers});
  return place;
}

Status EngineSource::select(const Selection& selection, const SelectedSink& sink) {
  query::Selected selected = selected_by(selection.matchers, range_of(selection));
  selected.series_max = series_max_;
  if (!measures_) return read(selected, sink);
  const Clock& clock = engine_.clock();
  const std::size_t place = place_of(selection.matchers.data());
  std::int64_t since_ns = clock.steady_ns();
  const Status status = read(selected, [&](Selected&& one) -> Status {
    SelectorRead& of = reads_[place];
    ++of.series;
    of.samples += one.times.size();
    of.bytes += one.times.size() * (sizeof one.times[0] + sizeof one.values[0]);
    of.ns += clock.steady_ns() - since_ns;
    Status taken = sink(std::move(one));
    since_ns = clock.steady_ns();
    return taken;
  });
  reads_[place].ns += clock.steady_ns() - since_ns;
  return status;
}

Status EngineSource::read(const query::Selected& selected, const SelectedSink& sink) {
  const auto give = [&](const query::TagTable& tags, std::uint32_t series, query::Column&& column) -> Status {
    Selected out{{}, std::move(column.times), std::move(column.values)};
    for (const std::uint32_t tag : tags.tags_of(series)) {
      const std::string_view value = tags.value_of(tag);
      if (!value.empty()) out.labels.emplace_back(tags.key_of(tag).name, value);
    }
    return sink(std::move(out));
  };
  return query::Columns::each(engine_, tenant_, selected, query_, give);
}

}  // namespace varve::language::promql
