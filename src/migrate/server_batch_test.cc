// SPDX-License-Identifier: Apache-2.0
#include "migrate/server_batch.h"

#include <gtest/gtest.h>

#include <limits>

namespace varve::migrate {
namespace {

using model::Value;

const model::Tags kTags = {{"host", "a \"b\""}, {"z", "1"}};

TEST(ServerBatch, IsTheBodyOfAPut) {
  ServerBatch batch;
  EXPECT_EQ(batch.body(), "[]");
  batch.begin({"k1", "none", kTags});
  batch.begin({"k2", "m", kTags});
  batch.add(-1, Value::of_long(std::numeric_limits<std::int64_t>::min()));
  batch.add(2, Value::of_double(55));
  batch.add(3, Value::of_double(-0.0));
  batch.add(4, Value::of_double(0.1));
  batch.add(5, Value::of_double(1e300));
  batch.add(6, Value::of_string("a\nb"));
  batch.begin({"k3", "n", kTags});
  EXPECT_EQ(batch.samples(), 6U);
  EXPECT_EQ(
      batch.body(),
      R"([{"name":"m","tags":{"host":"a \"b\"","z":"1"},"datapoints":[[-1,-9223372036854775808],[2,55.0],[3,-0.0],)"
      R"([4,0.1],[5,1.0E300],[6,"a\u000ab","string"]]}])");
  batch.clear();
  batch.add(7, Value::of_long(1));
  EXPECT_EQ(batch.body(), R"([{"name":"n","tags":{"host":"a \"b\"","z":"1"},"datapoints":[[7,1]]}])");
}

struct Told {
  std::string text;
  Refused refused = [this](const Refusal& r) {
    text += std::string(r.key) + " " + std::string(r.metric) + (r.too_old ? " old\n" : " bad\n");
  };
};

TEST(ServerBatch, WhatIsNamedIsTakenOut) {
  ServerBatch batch;
  batch.begin({"k1", "m", kTags});
  for (int i = 0; i < 4; ++i) batch.add(i, Value::of_long(i));
  batch.begin({"k2", "n", kTags});
  for (int i = 0; i < 2; ++i) batch.add(i, Value::of_long(i));
  batch.begin({"k3", "o", kTags});
  batch.add(9, Value::of_long(9));
  Told told;
  const std::vector<std::string> errors = {
      "metric[0](name=m).datapoints[1].timestamp 1 is older than all that is kept",
      "metric[0](name=m).datapoints[1].value is named twice",
      "metric[0](name=.datapoints[0]).datapoints[3].value is too long",
      "metric[1](name=n).tag[host].value may not be empty.",
      "metric[1](name=n).datapoints[7].value is not there",
      "metric[8](name=n).datapoints[0].value is not there",
      "something else",
  };
  EXPECT_TRUE(batch.take_out(errors, told.refused));
  EXPECT_EQ(told.text, "k1 m old\nk1 m bad\nk2 n bad\nk2 n bad\n");
  EXPECT_EQ(batch.samples(), 3U);
  EXPECT_EQ(batch.body(), R"([{"name":"m","tags":{"host":"a \"b\"","z":"1"},"datapoints":[[0,0],[2,2]]},)"
                          R"({"name":"o","tags":{"host":"a \"b\"","z":"1"},"datapoints":[[9,9]]}])");
  EXPECT_FALSE(batch.take_out(std::vector<std::string>{"metric[2](name=o).datapoints[0].value"}, told.refused));
  EXPECT_TRUE(batch.take_out(std::vector<std::string>{"metric[1](name=o).datapoints[0].value"}, told.refused));
  EXPECT_EQ(batch.samples(), 2U);
  batch.add(10, Value::of_long(10));  // its series stays
  EXPECT_EQ(batch.body(), R"([{"name":"m","tags":{"host":"a \"b\"","z":"1"},"datapoints":[[0,0],[2,2]]},)"
                          R"({"name":"o","tags":{"host":"a \"b\"","z":"1"},"datapoints":[[10,10]]}])");
}

}  // namespace
}  // namespace varve::migrate
