// SPDX-License-Identifier: Apache-2.0
#include "protocol/kairosdb/group_by.h"

#include <gtest/gtest.h>

#include "protocol/json/reader.h"

namespace varve::protocol::kairosdb {
namespace {

Result<GroupBy> parse_group_by(const std::string& text) {
  json::Reader reader(text);
  const auto tree = json::read_tree(reader);
  EXPECT_TRUE(tree) << text;
  return group_by_of(&*tree, "m");
}

std::string group_by_error(const std::string& one) {
  const auto parsed = parse_group_by("[" + one + "]");
  return parsed ? "no error" : parsed.error().message;
}

TEST(ParseGroupBy, AllKinds) {
  const auto parsed = parse_group_by(R"([{"name":"value","range_size":"5"},{"name":"tag","tags":["a","b","a"]},
      {"name":"time","range_size":{"value":"2","unit":"days"},"group_count":7},{"name":"tag","tags":["c"]},
      {"name":"bin","bins":["10",20.5]}])");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->tags, (std::vector<std::string>{"a", "b"})) << "the first grouper by tags";
  ASSERT_EQ(parsed->splitters.size(), 3U);
  EXPECT_EQ(opening_of(parsed->splitters[0]), R"({"name":"value","range_size":5,"group":{"group_number":)");
  EXPECT_EQ(opening_of(parsed->splitters[1]),
            R"({"name":"time","range_size":{"value":2,"unit":"DAYS"},"group_count":7,"group":{"group_number":)");
  EXPECT_EQ(opening_of(parsed->splitters[2]), R"({"name":"bin","bins":[10,20.5],"group":{"bin_number":)");
  EXPECT_TRUE(group_by_of(nullptr, "m")->tags.empty());
}

TEST(ParseGroupBy, Errors) {
  EXPECT_EQ(group_by_error("{}"), "m.group_by[0] must have a name");
  EXPECT_EQ(group_by_error(R"({"name":"bogus"})"), "m.group_by[0].bogus invalid group_by name");
  EXPECT_EQ(group_by_error(R"({"name":"tag"})"), "m.group_by[0].tags may not be null");
  EXPECT_EQ(group_by_error(R"({"name":"tag","tags":[]})"), "m.group_by[0].tags may not be empty");
  EXPECT_EQ(group_by_error(R"({"name":"tag","tags":[""]})"), "m.group_by[0].tags may not hold an empty name");
  EXPECT_EQ(group_by_error(R"({"name":"value"})"), "m.group_by[0].rangeSize must be greater than or equal to 1");
  EXPECT_EQ(group_by_error(R"({"name":"value","range_size":0})"),
            "m.group_by[0].rangeSize must be greater than or equal to 1");
  EXPECT_EQ(group_by_error(R"({"name":"time","group_count":2})"), "m.group_by[0].rangeSize may not be null");
  EXPECT_EQ(group_by_error(R"({"name":"time","range_size":{"value":1,"unit":"days"}})"),
            "m.group_by[0].groupCount must be greater than or equal to 1");
  EXPECT_EQ(group_by_error(R"({"name":"time","range_size":{"value":-1,"unit":"days"},"group_count":1})"),
            "m.group_by[0].range_size.value must be greater than or equal to 0");
  EXPECT_EQ(group_by_error(R"({"name":"time","range_size":{"value":1},"group_count":1})"),
            "m.group_by[0].range_size.unit may not be null");
  EXPECT_EQ(group_by_error(R"({"name":"time","range_size":{"value":1,"unit":"eons"},"group_count":1})"),
            "m.group_by[0].eons is not a valid time unit, must be one of "
            "MILLISECONDS,SECONDS,MINUTES,HOURS,DAYS,WEEKS,MONTHS,YEARS");
  EXPECT_EQ(group_by_error(R"({"name":"bin"})"), "m.group_by[0].bins may not be null");
  EXPECT_EQ(group_by_error(R"({"name":"bin","bins":[]})"), "m.group_by[0].bins may not be empty");
  EXPECT_EQ(group_by_error(R"({"name":"bin","bins":["x"]})"), R"(m.group_by[0].bins For input string: "x")");
  EXPECT_EQ(group_by_error(R"({"name":"value","range_size":3,"bogus":1})"),
            "Property 'bogus' was specified for object 'value' but no matching setter was found on "
            "'class org.kairosdb.core.groupby.ValueGroupBy'");
}

}  // namespace
}  // namespace varve::protocol::kairosdb
