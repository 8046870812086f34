// SPDX-License-Identifier: Apache-2.0
// What there is to describe. Its JSON: features_json.cc.
#include "protocol/kairosdb/features.h"

#include <algorithm>
#include <iterator>

namespace varve::protocol::kairosdb {
namespace {

using Properties = std::vector<Property>;

const std::vector<std::string_view> kUnits = {"MILLISECONDS", "SECONDS", "MINUTES", "HOURS",
                                              "DAYS",         "WEEKS",   "MONTHS",  "YEARS"};

// A number of units.
Property span_of(std::string_view name, std::string_view label) {
  return {
      name,
      label,
      "",
      "Object",
      "",
      {},
      {},
      "",
      {{"value", "Value", "How many of the unit.", "long", "1", {}, {{"value >= 0", "Value must not be negative."}}},
       {"unit", "Unit", "What is counted; days and longer ones follow the calendar.", "enum", "MILLISECONDS", kUnits}}};
}

Property flag(std::string_view name, std::string_view label, std::string_view description) {
  return {name, label, description, "boolean", "false"};
}

// Of everything that makes one point of each window, in order of their names; `own` comes between.
Properties range(Properties own = {}) {
  Properties out = {
      flag("align_end_time", "Align end time",
           "Windows begin on whole units of the sampling, and a point bears the time at which its window ends. "
           "Give it or align_start_time, not both."),
      flag("align_start_time", "Align start time",
           "Windows begin on whole units of the sampling, and a point bears the time at which its window begins. "
           "Give it or align_end_time, not both."),
      span_of("sampling", "Sampling"),
      flag("trim", "Trim", "Nothing is given for windows before the first and after the last sample."),
  };
  out.insert(out.end(), own.begin(), own.end());
  std::ranges::stable_sort(out, {}, &Property::name);
  return out;
}

// Of counters.
Properties counted() {
  Property max_gap = span_of("max_gap", "Max gap between samples");
  max_gap.parts[0].default_value = "15";
  max_gap.parts[1].default_value = "MINUTES";
  return range({
      {"bits",
       "Bits",
       "32: a value that is smaller than the one before went over the end of 32 bits. Empty: as declared, else 64.",
       "int",
       "",
       {},
       {{"!value || value == 32 || value == 64", "Bits must be 32 or 64."}}},
      max_gap,
      {"max_rate",
       "Max rate",
       "What grew faster than this, per second, is an error and does not count. Empty: anything counts.",
       "double",
       "",
       {},
       {{"!value || value > 0", "Max rate must be above 0."}}},
      {"reset",
       "Reset",
       "What it means that a value is smaller than the one before: nobody knows, or the counter began at 0.",
       "enum",
       "gap",
       {"GAP", "ZERO"}},
  });
}

Property share_of_percentile() {
  return {"percentile",
          "Percentile",
          "The share, as a fraction: 0.95 for the 95th percentile.",
          "double",
          "0.1",
          {},
          {{"value < 1", "Percentile must be below 1."}, {"value > 0", "Percentile must be above 0."}}};
}

Property comparison() {
  return {
      "filter_op", "Filter operation", "The comparison.", "enum", "equal", {"LTE", "LT", "GTE", "GT", "EQUAL", "NE"}};
}

// Those that KairosDB has from a plugin for histograms; in no order.
std::vector<Feature> make_plugin_aggregators() {
  return {
      {"apdex", "Apdex",
       "The share of the values in each window's histograms that are at most the target, and half of that of those "
       "above "
       "it up to four times as much.",
       range({{"target",
               "Target",
               "What is quick enough.",
               "double",
               "1",
               {},
               {{"value >= 0", "Target must not be negative."}}}})},
      {"havg", "Histogram AVG", "The mean of the values that the histograms in each window counted.", range()},
      {"hcount", "Histogram Count", "How many values the histograms in each window counted.", range()},
      {"hdev", "Histogram Dev", "The standard deviation of the values that the histograms in each window counted.",
       range()},
      {"hfilter",
       "Histogram Filter",
       "Takes out of histograms the bins for which a comparison holds.",
       {{"filter_indeterminate_inclusion",
         "Filter indeterminate inclusion",
         "Whether a bin that the threshold is in stays.",
         "enum",
         "keep",
         {"KEEP", "DISCARD"}},
        comparison(),
        {"threshold", "Threshold", "What values are compared with; bins that fit are taken out.", "double", "0.0"}}},
      {"hmax", "Histogram Max", "The largest value that the histograms in each window counted.", range()},
      {"hmin", "Histogram Min", "The smallest value that the histograms in each window counted.", range()},
      {"hpercentile", "Histogram Percentile",
       "The bin below which a given share of the values lies that the histograms in each window counted.",
       range({share_of_percentile()})},
      {"hsum", "Histogram Sum", "The sum of the values that the histograms in each window counted.", range()},
      {"merge", "Merge", "One histogram of those in each window.",
       range(
           {{"precision",
             "Precision",
             "How many bits of a value's mantissa tell its bin; never more than the histograms have.",
             "int",
             "7",
             {},
             {{"value >= 0", "Precision must not be negative."}, {"value <= 52", "Precision must be at most 52."}}}})},
      {"movingWindow", "Moving Window",
       "For what comes behind it: the samples of each window again at its end. Windows move on by one unit.", range()},
      {"percent_remaining", "Percent Remaining", "The share of each histogram's values that filters left in it.", {}},
  };
}

std::vector<Feature> make_aggregators() {
  return {
      {"avg", "AVG", "The mean of the values in each window.", range()},
      {"count", "Count", "How many samples each window has.", range()},
      {"counter_rate", "Counter Rate",
       "How much counters grew per second in each window, of the time for which that is known.", counted()},
      {"dev", "Dev", "How far the values in each window lie apart: their standard deviation.", range()},
      {"diff", "Diff", "Each value less the one before it.", {}},
      {"div",
       "Div",
       "Each value divided by a number.",
       {{"divisor", "Divisor", "What to divide by.", "double", "1", {}, {{"value > 0", "Divisor must be above 0."}}}}},
      {"filter",
       "Filter",
       "Leaves out the values for which a comparison holds.",
       {comparison(),
        {"threshold", "Threshold", "What values are compared with; those that fit are left out.", "Object", ""}}},
      {"first", "First", "The first value in each window.", range()},
      {"gaps", "Gaps", "Null for each window that has no sample.", range()},
      {"increase", "Increase", "How much counters grew in each window.", counted()},
      {"last", "Last", "The last value in each window.", range()},
      {"least_squares", "Least Squares",
       "Two points for each window, the ends of the line that is nearest to its samples.", range()},
      {"max", "Max", "The largest value in each window.", range()},
      {"min", "Min", "The smallest value in each window.", range()},
      {"percentile", "Percentile", "The value below which a given share of each window's values lies.",
       range({share_of_percentile()})},
      {"rate",
       "Rate",
       "How much the value changes in a unit of time, from each sample to the next.",
       {span_of("sampling", "Sampling")}},
      {"sampler",
       "Sampler",
       "Each value divided by the time since the sample before it.",
       {{"unit", "Time Unit", "The unit of that time.", "enum", "milliseconds", kUnits}}},
      {"save_as",
       "Save As",
       "Also writes what the query finds, as another metric.",
       {{"metric_name",
         "Save As",
         "The metric that is written.",
         "String",
         "<new name>",
         {},
         {{"!value && value.length > 0", "The name must not be empty."}}}}},
      {"scale",
       "Scale",
       "Each value multiplied by a number.",
       {{"factor", "Factor", "What to multiply by.", "double", "0.0", {}, {{"value > 0", "Factor must be above 0."}}}}},
      {"score",
       "SCORE",
       "The number of thresholds that each value has passed, from 0 to as many as there are.",
       {{"order",
         "Order",
         "Whether a larger value has a higher score or a lower one.",
         "enum",
         "ascending",
         {"ASCENDING", "DESCENDING"}},
        {"thresholds", "Thresholds", "The thresholds, each with the side to which it belongs.", "array", "[]"}}},
      {"sma",
       "SMA",
       "The mean of each value and some before it: a moving average.",
       {{"size",
         "Size",
         "How many values each mean is made of.",
         "int",
         "10",
         {},
         {{"value > 0", "Size must be above 0."}}}}},
      {"sum", "Sum", "The sum of the values in each window.", range()},
      {"trim",
       "Trim",
       "Leaves out the first point, the last one or both.",
       {{"trim", "Trim", "Which of them.", "enum", "both", {"FIRST", "LAST", "BOTH"}}}},
  };
}

std::vector<Feature> make_group_bys() {
  return {
      {"bin",
       "Bin",
       "A group for each stretch of values between given limits.",
       {{"bins",
         "Bin Values",
         "The limits, ascending. With 10 and 20 there are three groups: below 10, from 10 up to 20, and the rest.",
         "array",
         "[]",
         {},
         {{"value.every((n) => !isNaN(parseFloat(n)) && isFinite(n))", "All limits must be numbers."},
          {"value.length > 0", "There must be a limit."}}}}},
      {"tag",
       "Tag",
       "A group for each set of values of some tags.",
       {{"tags",
         "Tags",
         "The tags' names.",
         "array",
         "[]",
         {},
         {{"value.length > 0", "There must be a tag."}},
         "tags"}}},
      {"time",
       "Time",
       "A group for each phase of a repeating time, such as the days of a week.",
       {{"group_count",
         "Count",
         "How many groups, before it begins again: 7 for the days of a week.",
         "int",
         "0",
         {},
         {{"value > 0", "Count must be above 0."}}},
        span_of("range_size", "Range Size")}},
      {"value",
       "Value",
       "A group for each stretch of values of one length.",
       {{"range_size",
         "Target Size",
         "The length: with 10, values from 0 up to 10 are one group, those up to 20 the next.",
         "int",
         "0",
         {},
         {{"value >= 0", "Target size must not be negative."}}}}},
  };
}

}  // namespace

std::span<const Feature> aggregator_features() {
  static const std::vector<Feature> all = [] {
    std::vector<Feature> features = make_aggregators();
    std::ranges::move(make_plugin_aggregators(), std::back_inserter(features));
    std::ranges::sort(features, {}, &Feature::name);
    return features;
  }();
  return all;
}

std::span<const Feature> group_by_features() {
  static const std::vector<Feature> all = make_group_bys();
  return all;
}

bool is_range_aggregator(std::string_view name) {
  const auto found = std::ranges::find(aggregator_features(), name, &Feature::name);
  if (found == aggregator_features().end()) return false;
  return std::ranges::any_of(found->properties, [](const Property& p) { return p.name == "align_start_time"; });
}

}  // namespace varve::protocol::kairosdb
