// SPDX-License-Identifier: Apache-2.0
#include "protocol/kairosdb/aggregator.h"

#include <gtest/gtest.h>

#include "protocol/json/reader.h"

namespace varve::protocol::kairosdb {
namespace {

// `fields`: without the braces.
Result<Aggregator> parse_aggregator(const std::string& fields) {
  static std::string text;  // texts of the tree are views into it
  text = "{" + fields + "}";
  json::Reader reader(text);
  reader.set_lenient(true);
  const auto tree = json::read_tree(reader);
  EXPECT_TRUE(tree) << text;
  return aggregator_of(*tree, {}, "q");
}

Aggregator good(const std::string& fields) {
  const auto parsed = parse_aggregator(fields);
  EXPECT_TRUE(parsed) << fields << ": " << parsed.error().message;
  return parsed.value_or(Aggregator());
}

std::string aggregator_error(const std::string& fields) {
  const auto parsed = parse_aggregator(fields);
  return parsed ? "no error" : parsed.error().message;
}

TEST(ParseAggregator, AllNames) {
  for (const char* name : {"avg", "count", "dev", "diff", "first", "gaps", "last", "least_squares", "max", "merge",
                           "min", "rate", "sampler", "scale", "sma", "sum", "trim"}) {
    EXPECT_EQ(good(R"("name":")" + std::string(name) + '"').name, name);
  }
  for (const char* name : {"havg", "hcount", "hdev", "hfilter", "hmax", "hmin", "hsum", "percent_remaining"}) {
    EXPECT_EQ(good(R"("name":")" + std::string(name) + '"').name, name);
  }
  EXPECT_EQ(aggregator_error(R"("name":"hfirst")"), "q.hfirst invalid aggregators name");
  EXPECT_EQ(aggregator_error(R"("name":"bogus")"), "q.bogus invalid aggregators name");
  EXPECT_EQ(aggregator_error(R"("name":"")"), "q must have a name");
  EXPECT_EQ(aggregator_error(R"("size":3)"), "q must have a name");
}

TEST(ParseAggregator, Counters) {
  for (const std::string name : {"increase", "counter_rate"}) {
    const Aggregator plain = good(R"("name":")" + name + '"');
    EXPECT_EQ(plain.name, name);
    EXPECT_EQ(plain.max_gap_ms, std::nullopt);
    EXPECT_EQ(plain.is_32_bits, std::nullopt);
    EXPECT_EQ(plain.from_zero, std::nullopt);
    EXPECT_EQ(plain.max_rate, std::nullopt);
  }
  const Aggregator full =
      good(R"("name":"increase","max_gap":{"value":"3","unit":"WEEKS"},"bits":"32","reset":"Zero","max_rate":"1e9")");
  EXPECT_EQ(full.max_gap_ms, 3 * 7 * 86'400'000);
  EXPECT_EQ(full.is_32_bits, true);
  EXPECT_EQ(full.from_zero, true);
  EXPECT_EQ(full.max_rate, 1e9);
  EXPECT_EQ(good(R"("name":"increase","bits":64,"reset":"gap","max_rate":null)").is_32_bits, false);
  EXPECT_EQ(good(R"("name":"increase","bits":"","max_rate":"")").is_32_bits, std::nullopt) << "a form's empty fields";
  EXPECT_EQ(good(R"("name":"increase","max_gap":{"value":9e18,"unit":"days"})").max_gap_ms, std::int64_t{1} << 54);
  const auto bad = [](const std::string& option) { return aggregator_error(R"("name":"increase",)" + option); };
  EXPECT_EQ(bad(R"("max_gap":5)"), "q.max_gap must be an object");
  EXPECT_EQ(bad(R"("max_gap":{"value":1})"), "q.max_gap.unit may not be null");
  EXPECT_EQ(bad(R"("max_gap":{"value":0,"unit":"days"})"), "q.max_gap.value must be greater than or equal to 1");
  EXPECT_EQ(bad(R"("max_gap":{"value":-1,"unit":"days"})"), "q.max_gap.value must be greater than or equal to 0");
  EXPECT_EQ(bad(R"("max_gap":{"value":1,"unit":"years"})"), "q.max_gap.unit must be weeks or shorter");
  EXPECT_EQ(bad(R"("bits":31)"), "q.bits must be 32 or 64");
  EXPECT_EQ(bad(R"("reset":"")"), "q.reset must be gap or zero");
  EXPECT_EQ(bad(R"("reset":0)"), "q.reset must be gap or zero");
  EXPECT_EQ(bad(R"("max_rate":0)"), "q.max_rate must be greater than 0");
  EXPECT_EQ(bad(R"("max_rate":-3.5)"), "q.max_rate must be greater than 0");
  EXPECT_NE(aggregator_error(R"("name":"rate","max_gap":{"value":1,"unit":"days"})").find("max_gap"),
            std::string::npos);
}

TEST(ParseAggregator, Properties) {
  const Aggregator dev =
      good(R"("name":"dev","return_type":"POS_SD","dev_count":"2","sampling":{"value":2,"unit":"days"})");
  EXPECT_EQ(dev.return_type, ReturnType::pos_sd);
  EXPECT_EQ(dev.dev_count, 2);
  EXPECT_EQ(dev.sampling_value, 2);
  EXPECT_EQ(dev.sampling_unit, model::TimeUnit::days);
  EXPECT_EQ(good(R"("name":"percentile","percentile":0.75)").percentile, 0.75);
  EXPECT_EQ(good(R"("name":"merge","precision":5)").precision, 5);
  EXPECT_EQ(good(R"("name":"merge")").precision, -1);
  EXPECT_EQ(aggregator_error(R"("name":"merge","precision":53)"), "q.precision must be from 0 to 52");
  EXPECT_EQ(aggregator_error(R"("name":"merge","precision":-1)"), "q.precision must be from 0 to 52");
  EXPECT_EQ(good(R"("name":"div","divisor":-2.5)").divisor, -2.5);
  EXPECT_EQ(good(R"("name":"scale","factor":"1e3")").factor, 1000);
  EXPECT_EQ(good(R"("name":"scale")").factor, 0);
  EXPECT_EQ(good(R"("name":"sma","size":"3")").size, 3);
  EXPECT_EQ(good(R"("name":"sma","size":3.9)").size, 3);
  EXPECT_TRUE(good(R"("name":"gaps","trim":true)").trim_gaps);
  EXPECT_EQ(good(R"("name":"rate","unit":"minutes")").sampling_unit, model::TimeUnit::minutes);
  EXPECT_EQ(good(R"("name":"rate","sampling":{"value":5,"unit":"minutes"})").sampling_value, 5);
  EXPECT_EQ(good(R"("name":"rate","sampling":{"value":5,"unit":"days"},"unit":"hours")").sampling_value, 1)
      << "the last counts";
  EXPECT_EQ(good(R"("name":"sampler","unit":"Months")").sampling_unit, model::TimeUnit::months);
  EXPECT_EQ(good(R"("name":"sum","sampling":null,"time_zone":"")").sampling_value, 1) << "null is not given";
  EXPECT_FALSE(good(R"("name":"sum","time_zone":"Europe/Paris")").zone.is_utc());
}

TEST(ParseAggregator, Trim) {
  const auto trim = [](const std::string& value) {
    const Aggregator out = good(R"("name":"trim")" + value);
    return std::pair(out.trim_first, out.trim_last);
  };
  EXPECT_EQ(trim(""), std::pair(false, false));
  EXPECT_EQ(trim(R"(,"trim":"first")"), std::pair(true, false));
  EXPECT_EQ(trim(R"(,"trim":"LAST")"), std::pair(false, true));
  EXPECT_EQ(trim(R"(,"trim":"both")"), std::pair(true, true));
  EXPECT_EQ(aggregator_error(R"("name":"trim","trim":"middle")"),
            "q.middle is not a valid trim type, must be 'first', 'last' or 'both'.");
}

TEST(ParseAggregator, Filter) {
  const Aggregator number = good(R"("name":"filter","filter_op":"GTE","threshold":1.5)");
  EXPECT_EQ(number.filter_op, FilterOp::gte);
  EXPECT_EQ(std::get<double>(number.threshold), 1.5);
  EXPECT_EQ(std::get<std::string>(good(R"("name":"filter","filter_op":"ne","threshold":"1.5")").threshold), "1.5");
  EXPECT_EQ(std::get<double>(good(R"("name":"filter","filter_op":"ne")").threshold), 0);
  EXPECT_EQ(aggregator_error(R"("name":"filter","threshold":15)"), "q.filter_op may not be null");
  EXPECT_EQ(aggregator_error(R"("name":"filter","filter_op":"like","threshold":15)"),
            "q.like is not a valid trim type, must be 'lte', 'lt', 'gte', 'gt', 'equal' or 'ne'.");
}

TEST(ParseAggregator, OfHistograms) {
  EXPECT_TRUE(
      good(R"("name":"filter","filter_op":"lt","filter_indeterminate_inclusion":"discard")").discard_indeterminate);
  const Aggregator filter =
      good(R"("name":"hfilter","filter_op":"lt","threshold":"1.5","filter_indeterminate_inclusion":"KEEP")");
  EXPECT_EQ(std::get<double>(filter.threshold), 1.5);
  EXPECT_FALSE(filter.discard_indeterminate);
  EXPECT_EQ(good(R"("name":"hfilter")").filter_op, FilterOp::equal);
  EXPECT_EQ(aggregator_error(R"("name":"hfilter","threshold":"x")"), R"(q.threshold For input string: "x")");
  EXPECT_EQ(aggregator_error(R"("name":"hfilter","filter_indeterminate_inclusion":"drop")"),
            "q.drop is not a valid trim type, must be 'keep' or 'discard'.");
  EXPECT_NE(aggregator_error(R"("name":"hfilter","sampling":{"value":1,"unit":"days"})"), "no error")
      << "has no windows";
  EXPECT_FALSE(good(R"("name":"movingWindow")").align_sampling) << "others are aligned";
  EXPECT_TRUE(good(R"("align_sampling":true,"name":"movingWindow")").align_sampling);
  EXPECT_EQ(good(R"("name":"apdex","target":"0.5")").target, 0.5);
  EXPECT_EQ(good(R"("name":"apdex","target":0)").target, 0);
  EXPECT_EQ(aggregator_error(R"("name":"apdex")"), "q.target must be greater than or equal to 0");
  EXPECT_EQ(aggregator_error(R"("name":"apdex","target":null)"), "q.target must be greater than or equal to 0");
  EXPECT_EQ(aggregator_error(R"("name":"apdex","target":-5)"), "q.target must be greater than or equal to 0");
  EXPECT_EQ(good(R"("name":"hpercentile","percentile":0.75)").percentile, 0.75);
  EXPECT_EQ(aggregator_error(R"("name":"hpercentile")"), "q.percentile may not be zero");
  EXPECT_EQ(aggregator_error(R"("name":"hpercentile","percentile":0)"), "q.percentile may not be zero");
  EXPECT_EQ(good(R"("name":"hdev","return_type":"neg_sd")").return_type, ReturnType::neg_sd);
  EXPECT_EQ(good(R"("name":"havg","sampling":{"value":2,"unit":"days"})").sampling_unit, model::TimeUnit::days);
}

TEST(ParseAggregator, Score) {
  const Aggregator score =
      good(R"("name":"score","order":"descending","thresholds":[{"value":1,"boundary":"inferior"},{"value":"2"}])");
  EXPECT_TRUE(score.descending);
  ASSERT_EQ(score.thresholds.size(), 2U);
  EXPECT_EQ(score.thresholds[0].value, 1);
  EXPECT_TRUE(score.thresholds[0].inferior);
  EXPECT_EQ(score.thresholds[1].value, 2);
  EXPECT_FALSE(score.thresholds[1].inferior);
  EXPECT_EQ(aggregator_error(R"("name":"score")"), "q.thresholds may not be null");
  EXPECT_EQ(aggregator_error(R"("name":"score","thresholds":5)"), "q.thresholds must be an array");
  EXPECT_EQ(aggregator_error(R"("name":"score","thresholds":[5])"), "q.thresholds must be an array of objects");
  EXPECT_EQ(aggregator_error(R"("name":"score","thresholds":[{"boundary":"x"}])"),
            "q.x is not a valid trim type, must be 'superior' or 'inferior'.");
}

TEST(ParseAggregator, SaveAs) {
  const Aggregator save =
      good(R"("name":"save_as","metric_name":"m","tags":{"a":"b","c":"d"},"ttl":60,"add_saved_from":false)");
  EXPECT_EQ(save.metric_name, "m");
  EXPECT_EQ(save.tags, (std::vector<std::pair<std::string, std::string>>{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(save.ttl_s, 60);
  EXPECT_FALSE(save.add_saved_from);
  EXPECT_TRUE(good(R"("name":"save_as","metric_name":"m")").add_saved_from);
  EXPECT_EQ(aggregator_error(R"("name":"save_as")"), "q.metric_name may not be null");
  EXPECT_EQ(aggregator_error(R"("name":"save_as","metric_name":"")"), "q.metric_name may not be null");
  EXPECT_EQ(aggregator_error(R"("name":"save_as","metric_name":"m","tags":{"a":""})"),
            "q.tags[0] name and value may not be empty");
}

TEST(ParseAggregator, Errors) {
  EXPECT_EQ(aggregator_error(R"("name":"percentile")"), "q.percentile may not be zero");
  EXPECT_EQ(aggregator_error(R"("name":"percentile","percentile":0)"), "q.percentile may not be zero");
  EXPECT_EQ(aggregator_error(R"("name":"div")"), "q.m_divisor may not be zero");
  EXPECT_EQ(aggregator_error(R"("name":"div","divisor":0.0)"), "q.m_divisor may not be zero");
  EXPECT_EQ(aggregator_error(R"("name":"scale","factor":"x")"), R"(q.factor For input string: "x")");
  EXPECT_EQ(aggregator_error(R"("name":"scale","factor":1e999)"), R"(q.factor For input string: "1e999")");
  EXPECT_EQ(aggregator_error(R"("name":"sma","size":"x")"),
            R"(java.lang.NumberFormatException: For input string: "x")");
  EXPECT_EQ(aggregator_error(R"("name":"dev","return_type":"x")"),
            "q.x is not a valid trim type, must be 'value', 'pos_sd' or 'neg_sd'.");
  EXPECT_EQ(aggregator_error(R"("name":"sum","sampling":3)"), "q.sampling must be an object");
  const std::pair<const char*, const char*> unknown[] = {{"dev", "StdAggregator"},
                                                         {"gaps", "DataGapsMarkingAggregator"},
                                                         {"diff", "DiffAggregator"},
                                                         {"sma", "SmaAggregator"}};
  for (const auto& [name, java_class] : unknown) {
    EXPECT_EQ(aggregator_error(R"("x":1,"name":")" + std::string(name) + '"'),
              "Property 'x' was specified for object '" + std::string(name) +
                  "' but no matching setter was found on 'class org.kairosdb.core.aggregator." + java_class + "'");
  }
  EXPECT_NE(aggregator_error(R"("name":"diff","sampling":{"value":1,"unit":"days"})"), "no error") << "has no windows";
  EXPECT_NE(aggregator_error(R"("name":"sampler","sampling":{"value":1,"unit":"days"})"), "no error");
}

}  // namespace
}  // namespace varve::protocol::kairosdb
