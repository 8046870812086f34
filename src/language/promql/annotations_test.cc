// SPDX-License-Identifier: Apache-2.0
#include "language/promql/annotations.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace varve::language::promql {
namespace {

TEST(PromqlNumbers, are_written_as_prometheus_writes_them) {
  for (const auto& [value, general, plain] : std::vector<std::tuple<double, std::string, std::string>>{
           {0, "0", "0"},
           {-0.0, "-0", "-0"},
           {1.5, "1.5", "1.5"},
           {100000, "100000", "100000"},
           {1e6, "1e+06", "1000000"},
           {-1234567.25, "-1.23456725e+06", "-1234567.25"},
           {0.0001, "0.0001", "0.0001"},
           {0.00001, "1e-05", "0.00001"},
           {1e23, "1e+23", "100000000000000000000000"},
           {5e-324, "5e-324", "0." + std::string(323, '0') + "5"},
           {std::numeric_limits<double>::infinity(), "+Inf", "+Inf"},
           {-std::numeric_limits<double>::infinity(), "-Inf", "-Inf"}}) {
    EXPECT_EQ(text_of_number(value), general);
    EXPECT_EQ(plain_text_of_number(value), plain);
  }
}

TEST(PromqlAnnotations, of_many_some_are_told) {
  Annotations annotations("a");
  for (int i = 0; i < 100'000; ++i) annotations.warn("x" + std::to_string(i % 15), {0, 1});
  const auto told = annotations.take_warnings();
  ASSERT_EQ(told.size(), 11U);
  EXPECT_EQ(told[9], "PromQL warning: x9 (1:1)");
  EXPECT_EQ(told[10], "5 more warning annotations omitted");
}

TEST(PromqlAnnotations, each_is_told_once_for_its_place) {
  Annotations annotations("a +\nbc");
  annotations.warn("x", {4, 6});
  annotations.warn("x", {4, 6});
  annotations.warn("x", {0, 1});
  annotations.inform("y", {5, 6});
  EXPECT_EQ(annotations.take_warnings(),
            (std::vector<std::string>{"PromQL warning: x (2:1)", "PromQL warning: x (1:1)"}));
  EXPECT_EQ(annotations.take_infos(), (std::vector<std::string>{"PromQL info: y (2:2)"}));
}

TEST(PromqlAnnotations, repairs_of_one_place_are_one_info) {
  Annotations annotations("q");
  annotations.repaired({1, 2, 0.5}, 1700000000123, {0, 1});
  annotations.repaired({0.5, 1, 123}, 1699999999999, {0, 1});
  const auto infos = annotations.take_infos();
  ASSERT_EQ(infos.size(), 1U);
  EXPECT_TRUE(
      infos[0].ends_with("from buckets 0.5 to 2, with a max diff of 1.2e+02, over 2 samples from "
                         "2023-11-14T22:13:19Z to 2023-11-14T22:13:20Z (1:1)"))
      << infos[0];
}

}  // namespace
}  // namespace varve::language::promql
