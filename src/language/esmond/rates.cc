// SPDX-License-Identifier: Apache-2.0
#include "language/esmond/rates.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "base/sort_unique.h"
#include "query/answer.h"

namespace varve::language::esmond {
namespace {

using model::ValueType;
using query::MetricQuery;
using Keys = std::vector<std::string>;
using Places = std::map<Keys, std::vector<std::size_t>>;  // by values of keys: numbers of targets

// Targets of one metric with the same keys are asked for together.
struct Asked {
  MetricQuery query;
  Places places;
};

std::map<std::pair<std::string, Keys>, Asked> together(std::span<const Target* const> targets) {
  std::map<std::pair<std::string, Keys>, Asked> out;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    Keys keys, values;
    for (const auto& [key, value] : targets[i]->tags) {
      keys.push_back(key);
      values.push_back(value);
    }
    Asked& asked = out[{targets[i]->metric, keys}];
    asked.places[std::move(values)].push_back(i);
  }
  for (auto& [named, asked] : out) {
    const Keys& keys = named.second;
    asked.query.metric = named.first;
    asked.query.pipeline().group_by = keys;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      Keys values;
      for (const auto& [of, places] : asked.places) values.push_back(of[k]);
      sort_unique(values);
      asked.query.matchers.push_back({keys[k], index::Matcher::Kind::any_of, std::move(values)});
    }
  }
  return out;
}

// Asks for all targets through a first step (nullptr: as they are), and calls put(target, points) with what there is.
template <class Put>
Status ask(const query::Engine& engine, const std::string& tenant, std::span<const Target* const> targets,
           model::TimeRange range, const aggregate::CounterStage* stage, query::UnderWay& query, const Put& put) {
  if (range.empty()) return {};
  auto asked = together(targets);
  query::Request request;
  request.tenant = tenant;
  request.range = range;
  for (auto& [named, one] : asked) {
    if (stage != nullptr) one.query.pipeline().stages.push_back(*stage);
    request.metrics.push_back(one.query);
  }
  VARVE_ASSIGN_OR_RETURN(const query::Answer answer, query.explain(engine.run(request, query)));
  std::size_t number = 0;
  for (const auto& [named, one] : asked) {
    for (const query::Group& group : answer.metrics[number].groups) {
      if (group.kind != model::ValueKind::number) continue;
      const auto places = one.places.find(group.group_values);
      if (places == one.places.end()) continue;  // of two devices each has an interface that nobody asked for
      for (const std::size_t place : places->second) put(place, group.points);
    }
    ++number;
  }
  return {};
}

aggregate::CounterStage stage_of(bool per_second, std::int64_t width_ms) {
  aggregate::CounterStage out;
  out.sampling = {width_ms, model::TimeUnit::milliseconds};
  out.align_epoch = true;
  out.stamp = aggregate::Stamp::window_start;
  out.per_second = per_second;
  return out;
}

std::vector<const Target*> raw_of(std::span<const Source* const> sources) {
  std::vector<const Target*> out;
  for (const Source* const source : sources) out.push_back(&source->raw);
  return out;
}

// All bins of a range, unknown.
Result<std::vector<DataPoints>> empty_bins(const BinsAsked& asked, query::UnderWay& query) {
  const auto count = static_cast<std::uint64_t>((asked.bins.last - asked.bins.first) / asked.width_ms);
  constexpr std::uint64_t kBytes = sizeof(DataPoint) + 48;  // with its text
  if (count >= std::uint64_t{1} << 32) return fail(Code::limit, "the range has " + std::to_string(count) + " bins");
  VARVE_RETURN_IF_ERROR(query.budget().charge(count * kBytes * asked.sources.size()));
  DataPoints bins(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    bins[i].at = asked.bins.first + static_cast<std::int64_t>(i) * asked.width_ms;
  }
  return std::vector<DataPoints>(asked.sources.size(), bins);
}

DataPoint* bin_at(DataPoints& bins, const BinsAsked& asked, model::Timestamp at) {
  if (!asked.bins.contains(at)) return nullptr;
  return &bins[static_cast<std::size_t>((at - asked.bins.first) / asked.width_ms)];
}

// Of base bins, the extreme of those that are covered for half of their time at least.
Status read_extremes(const query::Engine& engine, const std::string& tenant, const BinsAsked& asked,
                     query::UnderWay& query, std::vector<DataPoints>& out) {
  const std::int64_t base_ms = asked.sources[0]->base_ms;
  const auto up = [&](model::Timestamp t) { return model::window_start(t + base_ms - 1, base_ms); };
  const model::TimeRange base{up(asked.bins.first), up(asked.bins.last)};
  auto rate = stage_of(true, base_ms);
  rate.shows_coverage = true;
  rate.extremes_in_ms = asked.width_ms;
  const auto targets = raw_of(asked.sources);
  return ask(engine, tenant, targets, base, &rate, query, [&](std::size_t i, const aggregate::Points& points) {
    for (std::size_t k = 0; k < points.size(); ++k) {
      DataPoint* const bin = bin_at(out[i], asked, points.times[k]);
      const double here = points.number(k);
      if (bin == nullptr || 2 * points.covered_ms[k] < base_ms) continue;
      const bool is_more =
          !bin->value || (asked.cf == Cf::min ? here < bin->value->as_double() : here > bin->value->as_double());
      if (!is_more) continue;  // the earliest of equals
      bin->value = model::Value::of_double(here);
      bin->extreme_at = points.times[k];
    }
  });
}

// An increase of a whole bin, which counts instead of what samples say.
Status read_posted(const query::Engine& engine, const std::string& tenant, const BinsAsked& asked,
                   query::UnderWay& query, std::vector<DataPoints>& out) {
  std::vector<const Target*> posted;
  for (const Source* const source : asked.sources) posted.push_back(&source->posted);
  return ask(engine, tenant, posted, asked.bins, nullptr, query, [&](std::size_t i, const aggregate::Points& points) {
    for (std::size_t k = 0; k < points.size(); ++k) {
      DataPoint* const bin = bin_at(out[i], asked, points.times[k]);
      if (bin == nullptr) continue;
      bin->value = asked.cf == Cf::raw
                       ? model::Value{points.type_of(k), points.bits[k], {}}
                       : model::Value::of_double(points.number(k) * 1000 / static_cast<double>(asked.width_ms));
      bin->extreme_at = bin->at;
    }
  });
}

void append_number(protocol::json::Writer& json, const model::Value& value, const PointsText& text) {
  if (value.type == ValueType::long_) {
    if (text.is_unsigned) {
      json.value(value.bits);
    } else {
      json.value(value.as_long());
    }
    return;
  }
  const double number = value.as_double();
  if (text.are_rates && std::abs(number) < 0x1p53 && number == std::trunc(number)) {
    json.raw(std::to_string(static_cast<std::int64_t>(number)) + ".0");
  } else {
    json.value(number);
  }
}

}  // namespace

std::optional<Cf> cf_of(std::string_view text) {
  for (const Cf cf : {Cf::average, Cf::min, Cf::max, Cf::raw}) {
    if (to_text(cf) == text) return cf;
  }
  return std::nullopt;
}

std::string_view to_text(Cf cf) {
  switch (cf) {
    case Cf::average: return "average";
    case Cf::min: return "min";
    case Cf::max: return "max";
    case Cf::raw: break;
  }
  return "raw";
}

model::TimeRange bins_in(std::int64_t begin_ms, std::int64_t end_ms, std::int64_t width_ms) {
  const model::Timestamp first = model::window_start(begin_ms + width_ms - 1, width_ms);
  return {first, std::max(first, model::window_start(end_ms, width_ms) + width_ms)};
}

Result<std::vector<DataPoints>> read_bins(const query::Engine& engine, const std::string& tenant,
                                          const BinsAsked& asked, query::UnderWay& query) {
  VARVE_ASSIGN_OR_RETURN(auto out, empty_bins(asked, query));
  if (asked.sources.empty() || asked.bins.empty()) return out;
  if (asked.cf == Cf::min || asked.cf == Cf::max) {
    VARVE_RETURN_IF_ERROR(read_extremes(engine, tenant, asked, query, out));
  } else {
    const auto stage = stage_of(asked.cf != Cf::raw, asked.width_ms);
    VARVE_RETURN_IF_ERROR(ask(engine, tenant, raw_of(asked.sources), asked.bins, &stage, query,
                              [&](std::size_t i, const aggregate::Points& points) {
                                for (std::size_t k = 0; k < points.size(); ++k) {
                                  DataPoint* const bin = bin_at(out[i], asked, points.times[k]);
                                  if (bin != nullptr) bin->value = model::Value{points.type_of(k), points.bits[k], {}};
                                }
                              }));
  }
  if (asked.width_ms == asked.sources[0]->base_ms) {
    VARVE_RETURN_IF_ERROR(read_posted(engine, tenant, asked, query, out));
  }
  return out;
}

Result<std::vector<DataPoints>> read_samples(const query::Engine& engine, const std::string& tenant,
                                             std::span<const Target* const> targets, model::TimeRange range,
                                             query::UnderWay& query) {
  std::vector<DataPoints> out(targets.size());
  VARVE_RETURN_IF_ERROR(
      ask(engine, tenant, targets, range, nullptr, query, [&](std::size_t i, const aggregate::Points& points) {
        for (std::size_t k = 0; k < points.size(); ++k) {
          out[i].push_back({.at = points.times[k], .value = model::Value{points.type_of(k), points.bits[k], {}}});
        }
      }));
  return out;
}

void append_points(protocol::json::Writer& json, std::span<const DataPoint> points, const PointsText& text) {
  json.begin_array();
  for (const DataPoint& point : points) {
    json.begin_object();
    if (text.with_extremes && point.value) {
      json.member("m_ts", model::window_start(point.extreme_at, text.unit_ms) / text.unit_ms);
    }
    const std::int64_t step = std::max(text.snapped_ms, text.unit_ms);
    json.member("ts", model::window_start(point.at, step) / text.unit_ms).key("val");
    if (point.value) {
      append_number(json, *point.value, text);
    } else {
      json.null();
    }
    json.end_object();
  }
  json.end_array();
}

}  // namespace varve::language::esmond
