// SPDX-License-Identifier: Apache-2.0
// The text is the same however it is cut into pieces and whichever threads make them. The oracle writes it in one go.
#include "api/kairosdb/answer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <random>
#include <utility>

#include "protocol/json/number_text.h"
#include "protocol/json/text.h"

namespace varve::api {
namespace {

using Random = std::mt19937_64;
using model::ValueType;

aggregate::Points random_points(Random& random, std::size_t count, bool text) {
  aggregate::Points points;
  for (std::size_t i = 0; i < count; ++i) {
    const auto time = static_cast<model::Timestamp>(random() % 2'000'000'000'000);
    if (text) {
      points.type = ValueType::string;
      points.times.push_back(time);
      points.texts.emplace_back(random() % 64 == 0 ? random() % 100'000 : random() % 20, 'x');
    } else if (random() % 3 == 0) {
      points.push(time, ValueType::long_, random());
    } else {
      points.push(time, ValueType::double_, std::bit_cast<std::uint64_t>(static_cast<double>(random() % 1000) / 7));
    }
  }
  return points;
}

std::string text_of(const aggregate::Points& points) {
  std::string out;
  for (std::size_t i = 0; i < points.size(); ++i) {
    out += i == 0 ? "[" : ",[";
    protocol::json::append_long(out, points.times[i]);
    out += ',';
    if (points.in_text()) {
      protocol::json::append_string(out, points.texts[i]);
    } else if (points.type_of(i) == ValueType::long_) {
      protocol::json::append_long(out, static_cast<std::int64_t>(points.bits[i]));
    } else {
      protocol::json::append_double(out, points.number(i));
    }
    out += ']';
  }
  return out;
}

struct Case {
  std::vector<KairosdbHead> heads;
  query::Answer answer;
  std::string text;
};

// A metric with as many groups as there are sizes; below 0: of texts.
void add_metric(Case& out, Random& random, const std::vector<int>& sizes) {
  const std::string name = "m" + std::to_string(out.heads.size());
  out.heads.push_back({name, {}, {R"({"name":"value","range_size":1,"group":{"group_number":)"}, false});
  query::MetricAnswer& metric = out.answer.metrics.emplace_back();
  out.text += out.answer.metrics.size() > 1 ? "," : "";
  out.text += R"({"sample_size":0,"results":[)";
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    query::Group& group = metric.groups.emplace_back();
    group.kind = sizes[g] < 0 ? model::ValueKind::text : model::ValueKind::number;
    group.split = {static_cast<std::int64_t>(g)};
    group.points = random_points(random, static_cast<std::size_t>(std::abs(sizes[g])), sizes[g] < 0);
    out.text += std::string(g == 0 ? "" : ",") + R"({"name":")" + name +
                R"(","group_by":[{"name":"value","range_size":1,"group":{"group_number":)" + std::to_string(g) +
                R"(}},{"name":"type","type":")" + (sizes[g] < 0 ? "text" : "number") + R"("}],"tags":{},"values":[)" +
                text_of(group.points) + "]}";
  }
  out.text += "]}";
}

Case make(unsigned seed, const std::vector<std::vector<int>>& metrics) {
  Random random(seed);
  Case out;
  out.text = R"({"queries":[)";
  for (const auto& sizes : metrics) add_metric(out, random, sizes);
  out.text += "]}";
  return out;
}

void expect_same(const Case& one, unsigned threads) {
  TaskPool pool(2);
  KairosdbAnswer answer(one.heads, one.answer, pool, threads);
  std::string all;
  std::string piece;
  std::size_t largest = 0;
  for (bool more = true; more;) {
    piece.clear();
    more = answer.next(piece).value();
    EXPECT_FALSE(piece.empty());
    largest = std::max(largest, piece.size());
    all += piece;
  }
  EXPECT_TRUE(all == one.text) << all.size() << " characters instead of " << one.text.size();
  EXPECT_LT(largest, threads * 600'000);
}

void expect_same(const Case& one) {
  for (const unsigned threads : {1U, 2U, 5U}) expect_same(one, threads);
}

TEST(KairosdbAnswer, nothing_at_all) { expect_same(make(1, {})); }

TEST(KairosdbAnswer, metrics_without_groups_and_groups_without_points) {
  expect_same(make(1, {{}}));
  expect_same(make(1, {{}, {0}, {}, {0, 0, 1, 0}, {}}));
}

TEST(KairosdbAnswer, a_group_of_many_pieces) {
  expect_same(make(2, {{100'000}}));
  expect_same(make(3, {{-3'000}}));
}

TEST(KairosdbAnswer, many_small_groups) { expect_same(make(4, {std::vector<int>(20'000, 3)})); }

TEST(KairosdbAnswer, groups_and_metrics_of_every_size) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Random random(seed);
    std::vector<std::vector<int>> metrics(random() % 6);
    for (auto& sizes : metrics) {
      sizes.resize(random() % 8);
      for (int& size : sizes) {
        constexpr std::array kMost = {1U, 10U, 8'000U, 30'000U};
        const bool text = random() % 4 == 0;
        size = static_cast<int>(random() % kMost[random() % (text ? 2 : 4)]) * (text ? -1 : 1);
      }
    }
    expect_same(make(seed, metrics));
  }
}

}  // namespace
}  // namespace varve::api
