// SPDX-License-Identifier: Apache-2.0
// Each aggregator is a list of properties; each property is read by one function. They are read in the order of the
// request, so that the first mistake is the one that is told.
#include "protocol/kairosdb/aggregator.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "base/ascii.h"
#include "model/histogram.h"
#include "model/time.h"
#include "protocol/kairosdb/query_node.h"

namespace varve::protocol::kairosdb {

namespace {

using json::Kind;
using json::Node;

struct Place {
  const std::string& context;   // of the aggregator
  const std::string& property;  // context.name
};

struct PropertyReader {
  std::string_view name;
  Status (*read)(const Node& node, const Place& place, Aggregator& out);
};

Status read_sampling(const Node& node, const Place& place, Aggregator& out) {
  VARVE_ASSIGN_OR_RETURN(const Length length, length_of(node, 1, place.context, place.property));
  out.sampling_value = length.value;
  out.sampling_unit = length.unit;
  return {};
}

Status read_unit(const Node& node, const Place& place, Aggregator& out) {
  out.sampling_value = 1;
  VARVE_ASSIGN_OR_RETURN(out.sampling_unit, unit_of(node, place.context));
  return {};
}

template <bool Aggregator::* member>
Status read_flag(const Node& node, const Place& place, Aggregator& out) {
  VARVE_ASSIGN_OR_RETURN(out.*member, flag_of(node, place.property));
  return {};
}

template <double Aggregator::* member>
Status read_real(const Node& node, const Place& place, Aggregator& out) {
  VARVE_ASSIGN_OR_RETURN(out.*member, real_of(node, place.property));
  return {};
}

template <std::int64_t Aggregator::* member>
Status read_whole(const Node& node, const Place& /*place*/, Aggregator& out) {
  VARVE_ASSIGN_OR_RETURN(out.*member, whole_of(node));
  return {};
}

Status read_precision(const Node& node, const Place& place, Aggregator& out) {
  VARVE_ASSIGN_OR_RETURN(out.precision, whole_of(node));
  const bool good = out.precision >= 0 && out.precision <= std::int64_t{model::kHistogramPrecisionMax};
  return good ? Status{}
              : invalid(place.property + " must be from 0 to " + std::to_string(model::kHistogramPrecisionMax));
}

Status read_zone(const Node& node, const Place& place, Aggregator& out) {
  VARVE_ASSIGN_OR_RETURN(out.zone, zone_of(node, place.context));
  return {};
}

Status read_return_type(const Node& node, const Place& place, Aggregator& out) {
  VARVE_ASSIGN_OR_RETURN(const std::size_t choice, choice_of(node, place.context, {"value", "pos_sd", "neg_sd"}));
  out.return_type = static_cast<ReturnType>(choice);
  return {};
}

Status read_filter_op(const Node& node, const Place& place, Aggregator& out) {
  VARVE_ASSIGN_OR_RETURN(const std::size_t choice,
                         choice_of(node, place.context, {"lte", "lt", "gte", "gt", "equal", "ne"}));
  out.filter_op = static_cast<FilterOp>(choice);
  return {};
}

Status read_threshold(const Node& node, const Place& place, Aggregator& out) {
  if (node.kind == Kind::string) {
    out.threshold = std::string(node.text);
    return {};
  }
  VARVE_ASSIGN_OR_RETURN(out.threshold, real_of(node, place.property));
  return {};
}

Status read_number_threshold(const Node& node, const Place& place, Aggregator& out) {
  VARVE_ASSIGN_OR_RETURN(out.threshold, real_of(node, place.property));
  return {};
}

Status read_inclusion(const Node& node, const Place& place, Aggregator& out) {
  VARVE_ASSIGN_OR_RETURN(const std::size_t choice, choice_of(node, place.context, {"keep", "discard"}));
  out.discard_indeterminate = choice == 1;
  return {};
}

Status read_trim(const Node& node, const Place& place, Aggregator& out) {
  VARVE_ASSIGN_OR_RETURN(const std::size_t choice, choice_of(node, place.context, {"first", "last", "both"}));
  out.trim_first = choice != 1;
  out.trim_last = choice != 0;
  return {};
}

Status read_order(const Node& node, const Place& place, Aggregator& out) {
  VARVE_ASSIGN_OR_RETURN(const std::size_t choice, choice_of(node, place.context, {"ascending", "descending"}));
  out.descending = choice == 1;
  return {};
}

Status read_thresholds(const Node& node, const Place& place, Aggregator& out) {
  if (node.kind != Kind::array) return invalid(place.property + " must be an array");
  out.thresholds.clear();
  for (const Node& one : node.children) {
    if (one.kind != Kind::object) return invalid(place.property + " must be an array of objects");
    ScoreThreshold threshold;
    if (const Node* value = one.find("value")) {
      VARVE_ASSIGN_OR_RETURN(threshold.value, real_of(*value, place.property));
    }
    if (const Node* boundary = one.find("boundary")) {
      VARVE_ASSIGN_OR_RETURN(const std::size_t choice, choice_of(*boundary, place.context, {"superior", "inferior"}));
      threshold.inferior = choice == 1;
    }
    out.thresholds.push_back(threshold);
  }
  return {};
}

Status read_max_gap(const Node& node, const Place& place, Aggregator& out) {
  VARVE_ASSIGN_OR_RETURN(const Length length, length_of(node, 1, place.context, place.property));
  const std::int64_t unit_ms = model::fixed_ms(length.unit);
  if (unit_ms == 0) return invalid(place.property + ".unit must be weeks or shorter");
  if (length.value < 1) return invalid(place.property + ".value must be greater than or equal to 1");
  constexpr std::int64_t kAllTimeMs = model::kTimestampMax - model::kTimestampMin;
  out.max_gap_ms = length.value > kAllTimeMs / unit_ms ? kAllTimeMs : length.value * unit_ms;
  return {};
}

// As a form gives a field that nobody filled in.
bool is_left_empty(const Node& node) { return node.kind == Kind::string && node.text.empty(); }

Status read_bits(const Node& node, const Place& place, Aggregator& out) {
  if (is_left_empty(node)) return {};
  VARVE_ASSIGN_OR_RETURN(const std::int64_t bits, whole_of(node));
  if (bits != 32 && bits != 64) return invalid(place.property + " must be 32 or 64");
  out.is_32_bits = bits == 32;
  return {};
}

Status read_reset(const Node& node, const Place& place, Aggregator& out) {
  const std::string reset = lower(node.text);
  if (reset != "gap" && reset != "zero") return invalid(place.property + " must be gap or zero");
  out.from_zero = reset == "zero";
  return {};
}

Status read_max_rate(const Node& node, const Place& place, Aggregator& out) {
  if (is_left_empty(node)) return {};
  VARVE_ASSIGN_OR_RETURN(const double rate, real_of(node, place.property));
  if (!(rate > 0)) return invalid(place.property + " must be greater than 0");
  out.max_rate = rate;
  return {};
}

Status read_metric_name(const Node& node, const Place& /*place*/, Aggregator& out) {
  out.metric_name = node.text;
  return {};
}

Status read_tags(const Node& node, const Place& place, Aggregator& out) {
  if (node.kind != Kind::object) return invalid(place.property + " must be an object");
  out.tags.clear();
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    if (node.names[i].empty() || node.children[i].text.empty()) {
      return invalid(place.property + "[" + std::to_string(i) + "] name and value may not be empty");
    }
    out.tags.emplace_back(node.names[i], node.children[i].text);
  }
  return {};
}

constexpr std::array<PropertyReader, 6> kRange = {{{"sampling", read_sampling},
                                                   {"align_sampling", read_flag<&Aggregator::align_sampling>},
                                                   {"align_start_time", read_flag<&Aggregator::align_start_time>},
                                                   {"align_end_time", read_flag<&Aggregator::align_end_time>},
                                                   {"trim", read_flag<&Aggregator::trim_gaps>},
                                                   {"time_zone", read_zone}}};
constexpr std::array<PropertyReader, 2> kDev = {
    {{"return_type", read_return_type}, {"dev_count", read_real<&Aggregator::dev_count>}}};
constexpr std::array<PropertyReader, 1> kPercentile = {{{"percentile", read_real<&Aggregator::percentile>}}};
constexpr std::array<PropertyReader, 1> kApdex = {{{"target", read_real<&Aggregator::target>}}};
constexpr std::array<PropertyReader, 1> kMerge = {{{"precision", read_precision}}};
constexpr std::array<PropertyReader, 4> kCounter = {
    {{"max_gap", read_max_gap}, {"bits", read_bits}, {"reset", read_reset}, {"max_rate", read_max_rate}}};
constexpr std::array<PropertyReader, 1> kDiv = {{{"divisor", read_real<&Aggregator::divisor>}}};
constexpr std::array<PropertyReader, 1> kScale = {{{"factor", read_real<&Aggregator::factor>}}};
constexpr std::array<PropertyReader, 3> kFilter = {
    {{"filter_op", read_filter_op}, {"threshold", read_threshold}, {"filter_indeterminate_inclusion", read_inclusion}}};
constexpr std::array<PropertyReader, 3> kHistogramFilter = {{{"filter_op", read_filter_op},
                                                             {"threshold", read_number_threshold},
                                                             {"filter_indeterminate_inclusion", read_inclusion}}};
constexpr std::array<PropertyReader, 3> kRate = {
    {{"sampling", read_sampling}, {"unit", read_unit}, {"time_zone", read_zone}}};
constexpr std::array<PropertyReader, 2> kSampler = {{{"unit", read_unit}, {"time_zone", read_zone}}};
constexpr std::array<PropertyReader, 1> kSma = {{{"size", read_whole<&Aggregator::size>}}};
constexpr std::array<PropertyReader, 1> kTrim = {{{"trim", read_trim}}};
constexpr std::array<PropertyReader, 2> kScore = {{{"thresholds", read_thresholds}, {"order", read_order}}};
constexpr std::array<PropertyReader, 4> kSaveAs = {{{"metric_name", read_metric_name},
                                                    {"tags", read_tags},
                                                    {"ttl", read_whole<&Aggregator::ttl_s>},
                                                    {"add_saved_from", read_flag<&Aggregator::add_saved_from>}}};

struct Known {
  std::string_view name;
  std::string_view java_class;  // KairosDB names it when a property is unknown
  bool range;                   // has the properties of kRange
  std::span<const PropertyReader> properties;
  std::string_view needed = {};  // the property that must be given
  std::string_view missing = {};
};
constexpr std::array<Known, 35> kKnown = {
    {{"apdex", "HistogramApdexAggregator", true, kApdex, "target", ".target must be greater than or equal to 0"},
     {"avg", "AvgAggregator", true, {}},
     {"count", "CountAggregator", true, {}},
     {"counter_rate", "CounterRateAggregator", true, kCounter},
     {"dev", "StdAggregator", true, kDev},
     {"diff", "DiffAggregator", false, {}},
     {"div", "DivideAggregator", false, kDiv, "divisor", ".m_divisor may not be zero"},
     {"filter", "FilterAggregator", false, kFilter, "filter_op", ".filter_op may not be null"},
     {"first", "FirstAggregator", true, {}},
     {"gaps", "DataGapsMarkingAggregator", true, {}},
     {"havg", "HistogramMeanAggregator", true, {}},
     {"hcount", "HistogramCountAggregator", true, {}},
     {"hdev", "HistogramStdDevAggregator", true, kDev},
     {"hfilter", "HistogramFilterAggregator", false, kHistogramFilter},
     {"hmax", "HistogramMaxAggregator", true, {}},
     {"hmin", "HistogramMinAggregator", true, {}},
     {"hpercentile", "HistogramPercentileAggregator", true, kPercentile, "percentile", ".percentile may not be zero"},
     {"hsum", "HistogramSumAggregator", true, {}},
     {"increase", "IncreaseAggregator", true, kCounter},
     {"last", "LastAggregator", true, {}},
     {"least_squares", "LeastSquaresAggregator", true, {}},
     {"max", "MaxAggregator", true, {}},
     {"merge", "HistogramMergeAggregator", true, kMerge},
     {"min", "MinAggregator", true, {}},
     {"movingWindow", "MovingWindowAggregator", true, {}},
     {"percent_remaining", "HistogramPercentRemainingAggregator", false, {}},
     {"percentile", "PercentileAggregator", true, kPercentile, "percentile", ".percentile may not be zero"},
     {"rate", "RateAggregator", false, kRate},
     {"sampler", "SamplerAggregator", false, kSampler},
     {"save_as", "SaveAsAggregator", false, kSaveAs, "metric_name", ".metric_name may not be null"},
     {"scale", "ScaleAggregator", false, kScale},
     {"score", "ScoreAggregator", false, kScore, "thresholds", ".thresholds may not be null"},
     {"sma", "SmaAggregator", false, kSma},
     {"sum", "SumAggregator", true, {}},
     {"trim", "TrimAggregator", false, kTrim}}};

const PropertyReader* find_property(const Known& known, std::string_view name) {
  for (const auto list :
       {known.properties, std::span<const PropertyReader>(kRange).first(known.range ? kRange.size() : 0)}) {
    const auto at = std::ranges::find(list, name, &PropertyReader::name);
    if (at != list.end()) return &*at;
  }
  return nullptr;
}

}  // namespace

Result<Aggregator> aggregator_of(const Node& node, model::TimeZone zone, const std::string& context) {
  const Node* name = node.find("name");
  if (name == nullptr || name->text.empty()) return invalid(context + " must have a name");
  const auto* known = std::ranges::find(kKnown, name->text, &Known::name);
  if (known == kKnown.end()) return invalid(context + "." + std::string(name->text) + " invalid aggregators name");
  Aggregator out;
  out.name = known->name;
  out.zone = zone;
  out.align_sampling = known->name != "movingWindow";
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    if (node.names[i] == "name") continue;
    const PropertyReader* property = find_property(*known, node.names[i]);
    if (property == nullptr) return unknown_property(node.names[i], known->name, "aggregator", known->java_class);
    if (node.children[i].kind == Kind::null) continue;
    const std::string place = context + "." + std::string(property->name);
    VARVE_RETURN_IF_ERROR(property->read(node.children[i], {context, place}, out));
  }
  const bool is_percentile = known->name == "percentile" || known->name == "hpercentile";
  const bool bad = (is_percentile && out.percentile == 0) || (known->name == "div" && out.divisor == 0) ||
                   (known->name == "save_as" && out.metric_name.empty()) || (known->name == "apdex" && out.target < 0);
  if (bad || (!known->needed.empty() && node.find(known->needed) == nullptr)) {
    return invalid(context + std::string(known->missing));
  }
  return out;
}

}  // namespace varve::protocol::kairosdb
