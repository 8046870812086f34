// SPDX-License-Identifier: Apache-2.0
// Remote write 2.0: the same series as 1.0 makes, and what is wrong with a request.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

#include "protocol/prometheus/remote_write.h"
#include "protocol/prometheus/testing/requests.h"
#include "protocol/testing/fake_groups.h"

namespace varve::protocol::prometheus {
namespace {

using testing::FakeGroups;
using testing::remote_write::request;
using testing::remote_write::sample;
using testing::remote_write::series;

struct Series2 {
  std::vector<std::uint32_t> refs;
  std::vector<std::string> samples{};
  std::string more{};
};

std::string request_2(const std::vector<std::string>& symbols, const std::vector<Series2>& all) {
  std::string bytes;
  protozero::pbf_writer to(bytes);
  for (const auto& symbol : symbols) to.add_string(4, symbol.data(), symbol.size());
  for (const Series2& one : all) {
    std::string series;
    protozero::pbf_writer of(series);
    of.add_packed_uint32(1, one.refs.begin(), one.refs.end());
    for (const auto& text : one.samples) of.add_message(2, text);
    to.add_message(5, series + one.more);
  }
  return bytes;
}

std::string text_2(const std::string& body, FakeGroups& groups, std::vector<std::string>* told = nullptr) {
  model::RowBatch batch;
  const model::MetadataSink sink = [&](const model::MetricMetadata& one) {
    if (told == nullptr) return;
    told->push_back(std::string(model::kMetricTypeNames[static_cast<std::size_t>(one.type)]) + " " +
                    std::string(one.metric) + " [" + std::string(one.unit) + "] " + std::string(one.help));
  };
  const std::vector<char> exact(body.begin(), body.end());
  const auto got = parse_write_request_2({exact.data(), exact.size()}, groups, batch, sink);
  if (!got) return "!! " + got.error().message;
  std::string out;
  for (const auto& one : groups.samples(batch)) out += one + " | ";
  for (const auto& bad : got->listed) out += "! " + std::to_string(bad.position) + ": " + bad.reason + " | ";
  return out;
}

TEST(RemoteWrite2, SeriesAreThoseOfOne) {
  const std::vector<std::string> symbols = {"", "__name__", "up", "job", "a", "help", "seconds"};
  const std::string usual = sample(1.5, 5), started = usual + std::string("\x18\x01", 2);
  for (const bool keeps : {true, false}) {
    FakeGroups groups;
    groups.keep_names = keeps;
    const std::string body = request_2(symbols, {{{1, 2, 3, 4}, {usual, sample(2, 6)}}, {{1, 4}, {started}}});
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(text_2(body, groups), "up{job=a} 5 1.5 | up{job=a} 6 2.0 | a{} 5 1.5 | ");
    }
    EXPECT_EQ(groups.defines, 2U);
    model::RowBatch batch;
    const auto one =
        parse_write_request(request({series({{"__name__", "up"}, {"job", "a"}}, {{1, 7}})}), groups, batch);
    EXPECT_EQ(one->accepted, 1U);
    EXPECT_EQ(groups.defines, 2U) << "the same series in 1.0";
  }
}

TEST(RemoteWrite2, MetadataAreTold) {
  const std::vector<std::string> symbols = {"", "__name__", "up", "help", "seconds"};
  std::string metadata, more;
  protozero::pbf_writer of(metadata);
  of.add_enum(1, 2);
  of.add_uint32(3, 3);
  of.add_uint32(4, 4);
  protozero::pbf_writer(more).add_message(5, metadata);
  FakeGroups groups;
  std::vector<std::string> told;
  EXPECT_EQ(text_2(request_2(symbols, {{{1, 2}, {sample(1, 5)}, more}, {{1, 2}, {sample(1, 6)}}}), groups, &told),
            "up{} 5 1.0 | up{} 6 1.0 | ");
  EXPECT_EQ(told, std::vector<std::string>{"gauge up [seconds] help"});
}

TEST(RemoteWrite2, WhatIsWrong) {
  const std::vector<std::string> symbols = {"", "__name__", "up", "job"};
  const auto error_of = [&](const std::vector<Series2>& bad, const std::vector<std::string>& of) {
    FakeGroups groups;
    std::vector<Series2> all = bad;
    all.push_back({{1, 2}, {sample(1, 5)}});
    return text_2(request_2(of, all), groups);
  };
  const std::string good = "up{} 5 1.0 | ";
  EXPECT_EQ(error_of({{{1, 9}, {sample(1, 5)}}}, symbols), good + "! 0: symbol 9 is not one of the request's 4 | ");
  EXPECT_EQ(error_of({{{1, 2, 3}, {sample(1, 5)}}}, symbols), good + "! 0: a label has a name and no value | ");
  EXPECT_TRUE(error_of({{{3, 2}, {sample(1, 5)}}}, symbols).starts_with(good + "! 0: ")) << "no name";
  EXPECT_TRUE(error_of({{{1, 2}, {sample(1, 5)}, std::string("\x1a\x00", 2)}}, symbols).contains("native histograms"));
  EXPECT_EQ(error_of({{{1, 2}, {}, "\x12\x05"}}, symbols), good + "! 0: the series is not valid protobuf | ");
  EXPECT_TRUE(error_of({}, {"x", "__name__", "up"}).starts_with("!! the first of"))
      << "symbols begin with an empty one";
  FakeGroups groups;
  EXPECT_EQ(text_2(request({series({{"__name__", "up"}}, {{1, 5}})}), groups),
            "!! the body is a request of remote write 1.0");
  EXPECT_EQ(text_2("", groups), "");
  model::RowBatch batch;
  EXPECT_FALSE(parse_write_request(request_2(symbols, {{{1, 2}, {sample(1, 5)}}}), groups, batch));
  const std::string whole = request_2(symbols, {{{1, 2}, {sample(1, 5)}}});
  for (std::size_t cut = 1; cut < 20; ++cut) text_2(whole.substr(0, whole.size() - cut), groups);
  EXPECT_EQ(groups.defines, 0U) << "what is cut leaves no name";
}

// A symbol may be in very many labels: the work is bounded by the request.
TEST(RemoteWrite2, SymbolsDoNotMultiply) {
  std::vector<Series2> all(3000);
  for (Series2& one : all) one = {{1, 2, 3, 3}, {sample(1, 5)}};
  FakeGroups groups;
  model::RowBatch batch;
  const auto got =
      parse_write_request_2(request_2({"", "__name__", "up", std::string(100'000, 'x')}, all), groups, batch);
  ASSERT_TRUE(got);
  EXPECT_GT(got->count(Code::too_large), 2000U);
}

}  // namespace
}  // namespace varve::protocol::prometheus
