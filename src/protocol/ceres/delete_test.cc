// SPDX-License-Identifier: Apache-2.0
#include "protocol/ceres/delete.h"

#include <gtest/gtest.h>

namespace varve::protocol::ceres {
namespace {

constexpr model::Timestamp kDeletedAt = 1'617'192'000'000;

// "first..last tags" or the error.
std::string shown_delete(std::vector<Parameter> parameters, bool takes_tags = true) {
  const auto parsed = parse_delete(parameters, takes_tags, "t-1", kDeletedAt);
  if (!parsed) return parsed.error().message;
  std::string out;
  const model::TimeRange all;
  out += parsed->range.first == all.first ? "…" : std::to_string(parsed->range.first - kDeletedAt);
  out += "..";
  out += parsed->range.last == all.last ? "…" : std::to_string(parsed->range.last - kDeletedAt);
  for (const auto& [key, value] : parsed->tags) out.append(" ").append(key).append("=").append(value);
  return out;
}

TEST(CeresDelete, Ranges) {
  EXPECT_EQ(shown_delete({}), "…..…");
  EXPECT_EQ(shown_delete({{"start", "1h-ago"}}), "-3600000..0");
  EXPECT_EQ(shown_delete({{"end", "1h-ago"}}), "…..-3600000");
  EXPECT_EQ(shown_delete({{"start", "2021-03-31T11:00:00Z"}, {"end", "1617192001"}}), "-3600000..1000");
  EXPECT_EQ(shown_delete({{"start", "1m-ago"}, {"end", "1m-ago"}}), "-60000..-60000");
}

TEST(CeresDelete, Tags) {
  EXPECT_EQ(shown_delete({{"tag", "os=linux"}, {"tag", "host=h-1"}}), "…..… os=linux host=h-1");
  EXPECT_EQ(shown_delete({{"tag", "os=linux,host=h-1,"}}), "…..… os=linux host=h-1");
}

TEST(CeresDelete, NothingThatIsNotUnderstoodIsLeftOut) {
  EXPECT_EQ(shown_delete({{"metricName", "cpu"}}), "there is no parameter 'metricName' here; start, end, tag");
  EXPECT_EQ(shown_delete({{"tag", "os=linux"}}, false), "there is no parameter 'tag' here; start, end");
  EXPECT_EQ(shown_delete({{"tag", ""}}), "a parameter tag is empty");
  EXPECT_EQ(shown_delete({{"tag", "os"}}), "tag 'os' is not key=value");
  EXPECT_EQ(shown_delete({{"tag", "os=a"}, {"tag", "os=b"}}), "tag 'os' stands twice");
  EXPECT_EQ(shown_delete({{"start", "1m-ago"}, {"end", "2m-ago"}}), "the end lies before the start");
  EXPECT_EQ(shown_delete({{"start", "1m-ago"}, {"start", "2m-ago"}}), "the parameter start stands twice");
  EXPECT_EQ(shown_delete({{"start", "yesterday"}}).substr(0, 28), "Invalid relative time format");
  EXPECT_EQ(shown_delete({{"tenant", "t-2"}}),
            "the parameter tenant cannot choose a tenant; the header X-Tenant or the path /t/<tenant>/ does");
}

}  // namespace
}  // namespace varve::protocol::ceres
