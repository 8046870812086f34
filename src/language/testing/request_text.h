// SPDX-License-Identifier: Apache-2.0
// A request as one line of text, for tests of what a language makes of a query. What has its default is left out:
//   t/kairosdb 0..1000 cpu host=a|b by host | avg 5m | limit 2; mem each
#pragma once

#include <array>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "query/request.h"

namespace varve::language::testing {

inline std::string text_of(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

template <class List>
std::string joined(const List& list, std::string_view separator) {
  std::string out;
  for (const auto& one : list) {
    if (&one != &list[0]) out += separator;
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(one)>>) {
      out += text_of(one);
    } else {
      out += one;
    }
  }
  return out;
}

inline std::string text_of(const index::Matcher& matcher) {
  static constexpr std::array<std::string_view, 5> kSigns = {"=", "!=", "^=", "=~", "!~"};
  return matcher.key + std::string(kSigns[static_cast<std::size_t>(matcher.kind)]) + joined(matcher.values, "|");
}

inline std::string text_of(const aggregate::Sampling& sampling) {
  static constexpr std::array<std::string_view, 8> kUnits = {"ms", "s", "m", "h", "d", "w", "mo", "y"};
  return std::to_string(sampling.value) + std::string(kUnits[static_cast<std::size_t>(sampling.unit)]);
}

// Its offsets in winter and in summer, in hours: zones do not tell their names.
inline std::string text_of(const model::TimeZone& zone) {
  if (zone.is_utc()) return {};
  const auto hours = [&](model::Timestamp t) { return text_of(static_cast<double>(zone.to_local(t) - t) / 3.6e6); };
  return " zone " + hours(1'704'067'200'000) + "/" + hours(1'719'792'000'000);
}

inline std::string text_of(const aggregate::Grid& grid) {
  std::string out = ' ' + text_of(grid.sampling);
  out += grid.align_epoch ? " from 1970" : grid.align_sampling ? "" : " from start";
  if (grid.stamp != aggregate::Stamp::sample) {
    out += grid.stamp == aggregate::Stamp::window_start ? " at start" : " at end";
  }
  return out + text_of(grid.zone);
}

inline std::string text_of(aggregate::Filter::Compare compare) {
  static constexpr std::array<std::string_view, 6> kSigns = {"<=", "<", ">=", ">", "==", "!="};
  return std::string(kSigns[static_cast<std::size_t>(compare)]);
}

inline std::string text_of(const aggregate::SaveAs& save) {
  std::string out = ' ' + save.metric;
  for (const auto& [key, value] : save.tags) out += ' ' + key + '=' + value;
  if (save.ttl_s != 0) out += " ttl " + std::to_string(save.ttl_s);
  return save.add_saved_from ? out + " saved_from" : out;
}

inline std::string text_of(const aggregate::Score& score) {
  std::string out;
  for (const auto& threshold : score.thresholds) {
    out += ' ' + text_of(threshold.value) + (threshold.counts_equal ? " inferior" : "");
  }
  return score.descending ? out + " desc" : out;
}

inline std::string text_of(const aggregate::Deviation& deviation) {
  using Answer = aggregate::Deviation::Answer;
  if (deviation.answer == Answer::deviation) return {};
  return (deviation.answer == Answer::above ? " above " : " below ") + text_of(deviation.count);
}

inline std::string text_of(const counter::Options& options) {
  std::string out;
  if (options.max_gap_ms) out += " gap " + std::to_string(*options.max_gap_ms);
  if (options.is_32_bits) out += *options.is_32_bits ? " 32 bits" : " 64 bits";
  if (options.from_zero) out += *options.from_zero ? " from zero" : " not from zero";
  if (options.max_per_second) out += " at most " + text_of(*options.max_per_second);
  return out;
}

// What a step has beside its grid.
template <class Step>
std::string parameters_of(const Step& step) {
  using namespace aggregate;
  if constexpr (std::is_base_of_v<Stage, Step>) return text_of(step.deviation);
  if constexpr (std::is_base_of_v<Percentile, Step>) return ' ' + text_of(step.fraction);
  if constexpr (std::is_same_v<Step, Gaps>) return step.trim ? " trim" : "";
  if constexpr (std::is_same_v<Step, Rate> || std::is_same_v<Step, Sampler>) {
    return ' ' + text_of(step.per) + text_of(step.zone);
  }
  if constexpr (std::is_same_v<Step, Scale>) return ' ' + text_of(step.factor);
  if constexpr (std::is_same_v<Step, Divide>) return ' ' + text_of(step.divisor);
  if constexpr (std::is_same_v<Step, Sma>) return ' ' + std::to_string(step.size);
  if constexpr (std::is_same_v<Step, Trim>) return std::string(step.first ? " first" : "") + (step.last ? " last" : "");
  if constexpr (std::is_same_v<Step, Filter>) {
    const auto* text = std::get_if<std::string>(&step.threshold);
    return ' ' + text_of(step.compare) + ' ' + (text != nullptr ? *text : text_of(std::get<double>(step.threshold)));
  }
  if constexpr (std::is_same_v<Step, HistogramFilter>) {
    return ' ' + text_of(step.compare) + ' ' + text_of(step.threshold) + (step.discard_partial ? " discard" : "");
  }
  if constexpr (std::is_same_v<Step, Score> || std::is_same_v<Step, SaveAs>) return text_of(step);
  if constexpr (std::is_same_v<Step, Merge>) return step.precision ? ' ' + std::to_string(*step.precision) : "";
  if constexpr (std::is_same_v<Step, CounterStage>) return text_of(step.options);
  if constexpr (std::is_same_v<Step, Apdex>) return ' ' + text_of(step.target);
  return {};
}

inline std::string text_of(const aggregate::Step& step) {
  std::string out(aggregate::name_of(step));
  if (const aggregate::Grid* grid = aggregate::grid_of(step)) out += text_of(*grid);
  return out + std::visit([](const auto& one) { return parameters_of(one); }, step);
}

inline std::string text_of(const aggregate::Split& split) {
  if (const auto* time = std::get_if<aggregate::TimeSplit>(&split)) {
    return " by time " + text_of(time->size) + " of " + std::to_string(time->count);
  }
  if (const auto* value = std::get_if<aggregate::ValueSplit>(&split)) return " by value " + std::to_string(value->size);
  return " by bins " + joined(std::get<aggregate::BinSplit>(split).bounds, ",");
}

inline std::string text_of(const query::Pipeline& pipeline) {
  std::string out = std::holds_alternative<query::EachSeries>(pipeline.group_by) ? " each" : "";
  if (!pipeline.keys().empty()) out += " by " + joined(pipeline.keys(), ",");
  for (const auto& split : pipeline.splits) out += text_of(split);
  for (const auto& step : pipeline.stages) out += " | " + text_of(step);
  if (pipeline.limit != 0) out += " | limit " + std::to_string(pipeline.limit);
  return pipeline.descending ? out + " | desc" : out;
}

inline std::string text_of(aggregate::Reducer reducer) {
  for (const std::string_view name : aggregate::reducer_names()) {
    if (aggregate::reducer_of(name) == reducer) return std::string(name);
  }
  return "?";
}

inline std::string text_of(const aggregate::RateOptions& rate) {
  const aggregate::RateOptions usual;
  std::string out = " | rate";
  if (rate.counter) out += " counter";
  if (rate.counter_max != usual.counter_max) out += " max " + std::to_string(rate.counter_max);
  if (rate.reset_value != 0) out += " reset " + std::to_string(rate.reset_value);
  if (rate.drop_resets) out += " drop";
  return rate.delta_only ? out + " delta" : out;
}

inline std::string text_of(const query::Join& join) {
  std::string out;
  if (join.downsample) {
    const query::Join::Downsample& down = *join.downsample;
    const std::string function =
        down.gather
            ? "gather " + text_of(*down.gather)
            : std::visit([](const auto& stage) { return std::string(aggregate::name_of(aggregate::Step(stage))); },
                         down.window);
    out += " | " + function + text_of(down.grid());
    if (down.fill != query::Join::Fill::none) out += down.fill == query::Join::Fill::zero ? " fill zero" : " fill nan";
  }
  if (join.resolution_ms != 1) out += " | cut " + std::to_string(join.resolution_ms);
  if (join.rate) out += text_of(*join.rate);
  out += " | join " + text_of(join.reducer);
  return join.group_by.empty() ? out : out + " by " + joined(join.group_by, ",");
}

inline std::string text_of(const query::MetricQuery& metric) {
  std::string out = query::text_of(metric.metric);
  for (const auto& matcher : metric.matchers) out += ' ' + text_of(matcher);
  return out + std::visit([](const auto& how) { return text_of(how); }, metric.how);
}

inline std::string text_of(model::TimeRange range) {
  if (range == model::TimeRange{}) return "always";
  return std::to_string(range.first) + ".." + std::to_string(range.last);
}

inline std::string text_of(const query::Request& request) {
  std::string out = request.tenant + '/' + request.api + ' ' + text_of(request.range);
  for (const auto& metric : request.metrics) out += (&metric == &request.metrics[0] ? " " : "; ") + text_of(metric);
  return out;
}

// The request, or "error: " and its text.
inline std::string text_of(const Result<query::Request>& request) {
  return request ? text_of(*request) : "error: " + request.error().message;
}

}  // namespace varve::language::testing
