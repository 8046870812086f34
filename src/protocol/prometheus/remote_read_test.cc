// SPDX-License-Identifier: Apache-2.0
#include "protocol/prometheus/remote_read.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

namespace varve::protocol::prometheus {
namespace {

std::string matcher(int op, const std::string& name, const std::string& value) {
  std::string out;
  protozero::pbf_writer to(out);
  to.add_enum(1, op);
  to.add_string(2, name);
  to.add_string(3, value);
  return out;
}

std::string asked(std::int64_t first_ms, std::int64_t last_ms, const std::vector<std::string>& matchers) {
  std::string query, out;
  protozero::pbf_writer of(query);
  of.add_int64(1, first_ms);
  of.add_int64(2, last_ms);
  for (const auto& one : matchers) of.add_message(3, one);
  of.add_message(4, std::string());  // hints
  protozero::pbf_writer(out).add_message(1, query);
  return out;
}

TEST(RemoteRead, Requests) {
  const std::string body = asked(-5, 7, {matcher(0, "__name__", "up"), matcher(3, "job", "a.*")}) + asked(1, 2, {});
  const auto read = parse_read_request(body);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[0].first_ms, -5);
  EXPECT_EQ((*read)[0].last_ms, 7);
  ASSERT_EQ((*read)[0].matchers.size(), 2U);
  EXPECT_EQ((*read)[0].matchers[1].op, ReadMatcher::Op::not_regex);
  EXPECT_EQ((*read)[0].matchers[1].name, "job");
  EXPECT_EQ((*read)[0].matchers[1].value, "a.*");
  EXPECT_TRUE((*read)[1].matchers.empty());
  EXPECT_TRUE(parse_read_request("")->empty());
}

TEST(RemoteRead, WhatIsNone) {
  EXPECT_EQ(parse_read_request(asked(1, 2, {matcher(4, "a", "b")})).error().message,
            "a matcher has an operator that is none: 4");
  EXPECT_EQ(parse_read_request(asked(1, 2, {matcher(0, "a", "\xff")})).error().message, "a matcher is not UTF-8");
  std::string many;
  for (std::size_t i = 0; i < kReadQueriesMax; ++i) many += asked(1, 2, {});
  EXPECT_TRUE(parse_read_request(many));
  EXPECT_FALSE(parse_read_request(many + asked(1, 2, {})));
  EXPECT_TRUE(parse_read_request(asked(1, 2, std::vector<std::string>(kReadMatchersMax))));
  EXPECT_FALSE(parse_read_request(asked(1, 2, std::vector<std::string>(kReadMatchersMax + 1))));
  const std::string good = asked(1, 2, {matcher(0, "a", "b")});
  for (std::size_t cut = 1; cut < good.size(); ++cut) {
    const std::vector<char> exact(good.begin(), good.end() - static_cast<std::ptrdiff_t>(cut));
    EXPECT_FALSE(parse_read_request({exact.data(), exact.size()})) << cut;
  }
}

TEST(RemoteRead, Answers) {
  const std::int64_t times[] = {5, -1};
  const double values[] = {1.5, 0};
  const std::string series = read_series({{"__name__", "up"}, {"a", "b"}}, times, values);
  const auto expected = std::string("\x0a\x0e\x0a\x08__name__\x12\x02up\x0a\x06\x0a\x01\x61\x12\x01\x62", 24) +
                        std::string("\x12\x0b\x09\x00\x00\x00\x00\x00\x00\xf8\x3f\x10\x05", 13) +
                        std::string("\x12\x14\x09\x00\x00\x00\x00\x00\x00\x00\x00\x10", 12) +
                        "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
  EXPECT_EQ(series, expected);
  std::string response;
  append_read_result(response, {});
  append_read_result(response, std::vector<std::string>{"ab", "c"});
  EXPECT_EQ(response, std::string("\x0a\x00\x0a\x07\x0a\x02\x61\x62\x0a\x01\x63", 11));
}

}  // namespace
}  // namespace varve::protocol::prometheus
