// SPDX-License-Identifier: Apache-2.0
#include "protocol/kairosdb/features.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "protocol/json/tree.h"
#include "protocol/kairosdb/query.h"

namespace varve::protocol::kairosdb {
namespace {

// Checked as JSON, and compacted: the first names of all objects in the list.
std::vector<std::string> names_of(const std::string& text) {
  const std::string padded = text + std::string(64, ' ');
  json::Reader reader(std::string_view(padded).substr(0, text.size()));
  const auto tree = json::read_tree(reader);
  EXPECT_TRUE(tree) << text;
  std::vector<std::string> names;
  if (!tree) return names;
  for (const json::Node& child : tree->children) names.emplace_back(child.find("name")->text);
  return names;
}

TEST(Features, groups) {
  EXPECT_EQ(names_of(features_json()), (std::vector<std::string>{"group_by", "aggregators"}));
  EXPECT_EQ(names_of(features_json("group_by").value()), (std::vector<std::string>{"bin", "tag", "time", "value"}));
  EXPECT_EQ(names_of(features_json("aggregators").value()).size(), 35U);
  EXPECT_EQ(features_json("groupby"), std::nullopt);
  EXPECT_EQ(features_json(""), std::nullopt);
}

TEST(Features, a_property_as_builders_read_it) {
  const std::string all = features_json("aggregators").value();
  EXPECT_NE(all.find(R"({"name":"divisor","label":"Divisor","description":"What to divide by.","optional":false,)"
                     R"("type":"double","options":[],"defaultValue":"1","autocomplete":"","multiline":false,)"
                     R"("validations":[{"expression":"value > 0","type":"js","message":"Divisor must be above 0."}]})"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find(R"({"name":"sampling","label":"Sampling","optional":false,"type":"Object","multiline":false,)"
                     R"("properties":[{"name":"value",)"),
            std::string::npos);
}

TEST(Features, are_those_that_queries_know) {
  for (const Feature& feature : aggregator_features()) {
    const std::string text = R"({"start_absolute":1,"metrics":[{"name":"m","aggregators":[{"name":")" +
                             std::string(feature.name) + R"("}]}]})";
    const auto query = parse_query(text, 0);
    const std::string error = query ? "" : query.error().message;
    EXPECT_EQ(error.find("invalid aggregators name"), std::string::npos) << feature.name;
  }
}

TEST(Features, what_makes_windows) {
  for (const char* name : {"avg", "sum", "percentile", "merge", "gaps", "hdev", "increase", "counter_rate"})
    EXPECT_TRUE(is_range_aggregator(name)) << name;
  for (const char* name : {"rate", "save_as", "trim", "scale", "hfilter", "bogus"})
    EXPECT_FALSE(is_range_aggregator(name)) << name;
}

TEST(Features, in_order_and_described) {
  for (const auto& features : {aggregator_features(), group_by_features()}) {
    EXPECT_TRUE(std::ranges::is_sorted(features, {}, &Feature::name));
    for (const Feature& feature : features) {
      EXPECT_FALSE(feature.label.empty()) << feature.name;
      EXPECT_TRUE(feature.description.ends_with('.')) << feature.name;
      for (const Property& property : feature.properties) {
        EXPECT_NE(property.description.empty(), property.parts.empty()) << feature.name << '.' << property.name;
      }
    }
  }
}

}  // namespace
}  // namespace varve::protocol::kairosdb
