// SPDX-License-Identifier: Apache-2.0
#include "protocol/prometheus/remote_write.h"

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <protozero/pbf_builder.hpp>

#include "protocol/prometheus/testing/requests.h"
#include "protocol/testing/fake_groups.h"

namespace varve::protocol::prometheus {
namespace {

using testing::remote_write::label;
using testing::remote_write::Pairs;
using testing::remote_write::request;
using testing::remote_write::sample;
using testing::remote_write::Samples;
using testing::remote_write::series;

struct Parsed {
  std::vector<std::string> samples;
  std::vector<std::string> errors;
  bool operator==(const Parsed&) const = default;
};
std::ostream& operator<<(std::ostream& to, const Parsed& p) {
  for (const auto& s : p.samples) to << "  " << s << '\n';
  for (const auto& e : p.errors) to << "  ! " << e << '\n';
  return to;
}

class Bench {
 public:
  testing::FakeGroups groups;
  model::RowBatch batch;
  Outcome outcome;
  model::Timestamp kept_from = model::kTimestampMin, kept_for_class = model::kTimestampMin;

  // The body is in memory of exactly its size, so that the sanitizer sees reads behind it.
  Parsed parse(const std::vector<std::string>& all) {
    const std::string text = request(all);
    const std::vector<char> body(text.begin(), text.end());
    batch.clear();
    batch.set_kept_from(kept_from, {&kept_for_class, 1});
    auto got = parse_write_request({body.data(), body.size()}, groups, batch);
    EXPECT_TRUE(got);
    outcome = std::move(*got);
    Parsed parsed{groups.samples(batch), {}};
    EXPECT_EQ(outcome.accepted + batch.markers(), parsed.samples.size());
    for (const auto& e : outcome.listed) parsed.errors.push_back(std::to_string(e.position) + ": " + e.reason);
    return parsed;
  }
};

const std::string kUp = series({{"__name__", "up"}, {"job", "a"}}, {{1, 1'700'000'000'000}});

struct Case {
  const char* what;
  std::string series;
  std::vector<std::string> samples;
  std::vector<std::string> errors = {};
};
void PrintTo(const Case& c, std::ostream* to) { *to << c.what; }

std::string twice(std::string s) { return s + s; }

const std::vector<Case>& cases() {
  const double stale = std::bit_cast<double>(model::kStaleMarkerBits);
  static const std::vector<Case> all = {
      {"one sample", series({{"__name__", "m"}, {"h", "x"}}, {{1.5, 5}}), {"m{h=x} 5 1.5"}},
      {"a whole number stays a double", series({{"__name__", "m"}}, {{7, 5}}), {"m{} 5 7.0"}},
      {"several samples",
       series({{"__name__", "m"}}, {{1, 5}, {2, 6}, {3, 7}}),
       {"m{} 5 1.0", "m{} 6 2.0", "m{} 7 3.0"}},
      {"no samples", series({{"__name__", "m"}}, {}), {}},
      {"value 0", series({{"__name__", "m"}}, {{0, 5}}), {"m{} 5 0.0"}},
      {"value -0", series({{"__name__", "m"}}, {{-0.0, 5}}), {"m{} 5 -0.0"}},
      {"infinity", series({{"__name__", "m"}}, {{HUGE_VAL, 5}, {-HUGE_VAL, 6}}), {"m{} 5 inf", "m{} 6 -inf"}},
      {"an ordinary NaN is a value", series({{"__name__", "m"}}, {{std::nan(""), 5}}), {"m{} 5 nan"}},
      {"large", series({{"__name__", "m"}}, {{1.7976931348623157e308, 5}}), {"m{} 5 1.7976931348623157e+308"}},
      {"a staleness marker", series({{"__name__", "m"}}, {{stale, 5}, {2, 6}}), {"m{} 5 stale", "m{} 6 2.0"}},
      {"a signaling NaN is no marker",
       series({{"__name__", "m"}}, {{std::bit_cast<double>(std::uint64_t{0x7ff0000000000003}), 5}}),
       {"m{} 5 nan"}},
      {"markers of a series that is not there", series({{"__name__", "m"}}, {{stale, 5}, {stale, 6}}), {}},
      {"a marker at no time",
       series({{"__name__", "m"}}, {{stale, 9007199254740993}}),
       {},
       {"timestamp 9007199254740993 is out of range"}},
      {"nothing but a histogram",
       series({{"__name__", "m"}}, {}) + std::string("\x22\x02\x08\x01", 4),
       {},
       {"native histograms are not kept"}},
      {"time 0", series({{"__name__", "m"}}, {{1, 0}}), {"m{} 0 1.0"}},
      {"time 127, 128", series({{"__name__", "m"}}, {{1, 127}, {1, 128}}), {"m{} 127 1.0", "m{} 128 1.0"}},
      {"time before 1970", series({{"__name__", "m"}}, {{1, -5}}), {"m{} -5 1.0"}},
      {"a usual time", series({{"__name__", "m"}}, {{1, 1'700'000'000'123}}), {"m{} 1700000000123 1.0"}},
      {"last time", series({{"__name__", "m"}}, {{1, 9007199254740992}}), {"m{} 9007199254740992 1.0"}},
      {"first time", series({{"__name__", "m"}}, {{1, -9007199254740992}}), {"m{} -9007199254740992 1.0"}},
      {"a time out of range costs its sample",
       series({{"__name__", "m"}}, {{1, 5}, {2, 9007199254740993}, {3, 6}}),
       {"m{} 5 1.0", "m{} 6 3.0"},
       {"timestamp 9007199254740993 is out of range"}},
      {"a very negative time",
       series({{"__name__", "m"}}, {{2, std::numeric_limits<std::int64_t>::min()}}),
       {},
       {"timestamp -9223372036854775808 is out of range"}},
      {"labels in any order", series({{"z", "1"}, {"__name__", "m"}, {"a", "2"}}, {{1, 5}}), {"m{a=2,z=1} 5 1.0"}},
      {"an empty value is not a label", series({{"__name__", "m"}, {"a", ""}}, {{1, 5}}), {"m{} 5 1.0"}},
      {"UTF-8", series({{"__name__", "größe"}, {"ort", "köln €😀"}}, {{1, 5}}), {"größe{ort=köln €😀} 5 1.0"}},
      {"a long label",
       series({{"__name__", "m"}, {"a", std::string(300, 'x')}}, {{1, 5}}),
       {"m{a=" + std::string(300, 'x') + "} 5 1.0"}},
      {"labels after samples", series({}, {{1, 5}}) + series({{"__name__", "m"}}, {}), {"m{} 5 1.0"}},
      {"labels around samples",
       series({{"__name__", "m"}}, {{1, 5}}) + series({{"a", "b"}}, {{2, 6}}),
       {"m{a=b} 5 1.0", "m{a=b} 6 2.0"}},
      {"time before value",
       series({{"__name__", "m"}}, {}) + std::string("\x12\x0b\x10\x05\x09\0\0\0\0\0\0\xf0\x3f", 13),
       {"m{} 5 1.0"}},
      {"value left out, as proto3 does for 0",
       series({{"__name__", "m"}}, {}) + std::string("\x12\x02\x10\x05", 4),
       {"m{} 5 0.0"}},
      {"time left out",
       series({{"__name__", "m"}}, {}) + std::string("\x12\x09\x09\0\0\0\0\0\0\xf0\x3f", 11),
       {"m{} 0 1.0"}},
      {"an empty sample", series({{"__name__", "m"}}, {}) + std::string("\x12\x00", 2), {"m{} 0 0.0"}},
      {"exemplars are skipped", kUp + std::string("\x1a\x02\x08\x01", 4), {"up{job=a} 1700000000000 1.0"}},
      {"unknown fields are skipped", kUp + std::string("\x7a\x02\x08\x01\x78\x05", 6), {"up{job=a} 1700000000000 1.0"}},
      {"a histogram is refused, samples are kept",
       kUp + std::string("\x22\x02\x08\x01", 4),
       {"up{job=a} 1700000000000 1.0"},
       {"native histograms are not kept"}},
      {"an unknown field in a label",
       std::string("\x0a\x0f\x0a\x08__name__\x18\x07\x12\x01m", 17) + series({}, {{1, 5}}),
       {"m{} 5 1.0"}},
      // wrong
      {"no labels", series({}, {{1, 5}}), {}, {"the series has no label '__name__'"}},
      {"an empty series", "", {}, {"the series has no label '__name__'"}},
      {"no name", series({{"a", "b"}}, {{1, 5}}), {}, {"the series has no label '__name__'"}},
      {"an empty name", series({{"__name__", ""}}, {{1, 5}}), {}, {"the series has no label '__name__'"}},
      {"two names", series({{"__name__", "a"}, {"__name__", "b"}}, {{1, 5}}), {}, {"label '__name__' stands twice"}},
      {"a label without name", series({{"__name__", "a"}, {"", "b"}}, {{1, 5}}), {}, {"a label has an empty name"}},
      {"a label twice", series({{"__name__", "a"}, {"x", "1"}, {"x", "2"}}, {{1, 5}}), {}, {"tag 'x' stands twice"}},
      {"not UTF-8", series({{"__name__", "a"}, {"x", "\xff"}}, {{1, 5}}), {}, {"a label is not UTF-8"}},
      {"cut UTF-8", series({{"__name__", "a\xe2\x82"}}, {{1, 5}}), {}, {"a label is not UTF-8"}},
      {"overlong UTF-8", series({{"__name__", "a\xc0\x80"}}, {{1, 5}}), {}, {"a label is not UTF-8"}},
      {"a surrogate", series({{"__name__", "a\xed\xa0\x80"}}, {{1, 5}}), {}, {"a label is not UTF-8"}},
      {"a label cut short", "\x0a\x7f\x0a", {}, {"the series is not valid protobuf"}},
      {"a label's text cut short", std::string("\x0a\x03\x0a\x7f_", 5), {}, {"a label is not valid protobuf"}},
      {"a sample cut short",
       series({{"__name__", "m"}}, {}) + std::string("\x12\x0b\x10", 3),
       {},
       {"the series is not valid protobuf"}},
      {"a sample's value cut short",
       series({{"__name__", "m"}}, {}) + std::string("\x12\x03\x09\0\0", 5),
       {},
       {"the series is not valid protobuf"}},
      {"an endless varint",
       series({{"__name__", "m"}}, {}) + "\x12\x0c\x10" + std::string(11, '\xff'),
       {},
       {"the series is not valid protobuf"}},
      {"group wire type", series({{"__name__", "m"}}, {}) + "\x13", {}, {"the series is not valid protobuf"}},
      {"samples before the fault are not kept",
       twice(kUp) + std::string("\x12\x0b\x10", 3),
       {},
       {"the series is not valid protobuf"}},
  };
  return all;
}

class RemoteWriteCases : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, RemoteWriteCases, ::testing::ValuesIn(cases()));

// Alone, then in the midst of others, by guess and by hash: the case means the same and costs only itself.
TEST_P(RemoteWriteCases, CostsOnlyItself) {
  for (const bool keep_names : {true, false}) {
    Bench bench;
    bench.groups.keep_names = keep_names;
    const auto& c = GetParam();
    Parsed alone{c.samples, {}};
    for (const auto& e : c.errors) alone.errors.push_back("0: " + e);
    EXPECT_EQ(bench.parse({c.series}), alone);
    EXPECT_EQ(bench.parse({c.series}), alone);
    EXPECT_EQ(bench.groups.defines == 0, c.samples.empty());  // what is not stored gets no name
    const std::string before = series({{"__name__", "before"}}, {{1, 1}});
    const std::string after = series({{"__name__", "after"}}, {{2, 2}});
    Parsed between{{"before{} 1 1.0"}, {}};
    between.samples.insert(between.samples.end(), c.samples.begin(), c.samples.end());
    between.samples.push_back("after{} 2 2.0");
    for (const auto& e : c.errors) between.errors.push_back("1: " + e);
    EXPECT_EQ(bench.parse({before, c.series, after}), between);
    EXPECT_EQ(bench.parse({before, c.series, after}), between);
  }
}

TEST(RemoteWrite, MarkersAreRowsOfTheirOwnKind) {
  const double stale = std::bit_cast<double>(model::kStaleMarkerBits);
  Bench bench;
  bench.parse({series({{"__name__", "m"}}, {{stale, 5}, {1, 6}, {stale, 7}})});
  EXPECT_EQ(bench.batch.markers(), 2U);
  EXPECT_EQ(bench.batch.samples(), 1U);
  EXPECT_EQ(bench.outcome.accepted, 1U);
  EXPECT_EQ(bench.outcome.rejected, 0U);
}

// A sender may start anew, or write the same series in other bytes: what counts is whether the store has it.
TEST(RemoteWrite, AMarkerNeedsASeries) {
  const double stale = std::bit_cast<double>(model::kStaleMarkerBits);
  Bench bench;
  const auto gone = series({{"__name__", "m"}, {"a", "1"}}, {{stale, 5}});
  EXPECT_EQ(bench.parse({gone}).samples, std::vector<std::string>{});
  EXPECT_EQ(bench.groups.defines, 0U);
  bench.parse({series({{"__name__", "m"}, {"a", "1"}}, {{1, 4}})});
  EXPECT_EQ(bench.parse({gone}).samples, std::vector<std::string>{"m{a=1} 5 stale"});
  EXPECT_EQ(bench.parse({series({{"a", "1"}, {"__name__", "m"}}, {{stale, 6}})}).samples,
            std::vector<std::string>{"m{a=1} 6 stale"});
  EXPECT_EQ(bench.parse({series({{"__name__", "m"}, {"a", "2"}}, {{stale, 6}})}).samples, std::vector<std::string>{});
  EXPECT_EQ(bench.groups.defines, 2U) << "the same series in other bytes";
}

TEST(RemoteWrite, WhatIsTooOldGetsNoName) {
  Bench bench;
  bench.kept_from = 10;
  EXPECT_EQ(bench.parse({series({{"__name__", "m"}}, {{1, 9}})}).samples, std::vector<std::string>{});
  EXPECT_EQ(bench.outcome.count(Code::too_old), 1U);
  EXPECT_EQ(bench.groups.defines, 0U);
  EXPECT_EQ(bench.parse({series({{"__name__", "m"}}, {{1, 9}, {2, 10}})}).samples,
            std::vector<std::string>{"m{} 10 2.0"});
  EXPECT_EQ(bench.groups.defines, 1U);
}

TEST(RemoteWrite, WhatIsTooOldForItsClassGetsNoName) {
  Bench bench;
  bench.groups.kept_of = [](std::span<const std::string_view>) { return std::uint8_t{1}; };
  bench.kept_for_class = 20;
  EXPECT_EQ(bench.parse({series({{"__name__", "m"}}, {{1, 19}})}).samples, std::vector<std::string>{});
  EXPECT_EQ(bench.outcome.count(Code::too_old), 1U);
  EXPECT_EQ(bench.groups.defines, 0U);
  EXPECT_EQ(bench.parse({series({{"__name__", "m"}}, {{1, 19}, {2, 20}})}).samples,
            std::vector<std::string>{"m{} 20 2.0"});
  EXPECT_EQ(bench.parse({series({{"__name__", "m"}}, {{3, 18}})}).samples, std::vector<std::string>{}) << "known";
  EXPECT_EQ(bench.groups.defines, 1U);
}

// Whether anything of it is stored or not.
TEST(RemoteWrite, ANameThatIsTooLongIsSaid) {
  Bench bench;
  const std::string name(70'000, 'm');
  const auto with = bench.parse({series({{"__name__", name}}, {{1, 5}})});
  EXPECT_EQ(bench.parse({series({{"__name__", name}}, {})}), with);
  EXPECT_EQ(with.errors.size(), 1U);
}

TEST(RemoteWrite, AKnownSeriesIsGuessed) {
  Bench bench;
  std::vector<std::string> all;
  for (int i = 0; i < 10; ++i) {
    all.push_back(series({{"__name__", "m"}, {"host", "h" + std::to_string(i)}, {"region", "eu-west-1"}}, {{1, 5}}));
  }
  bench.parse(all);
  EXPECT_EQ(bench.groups.defines, 10U);
  bench.groups.finds = 0;
  EXPECT_EQ(bench.parse(all).samples.size(), 10U);
  EXPECT_EQ(bench.groups.defines, 10U);
  EXPECT_EQ(bench.groups.finds, 1U);
}

TEST(RemoteWrite, MoreLabelsAreAnotherSeries) {
  Bench bench;
  const auto a = series({{"__name__", "m"}, {"a", "1"}}, {{1, 5}});
  const auto ab = series({{"__name__", "m"}, {"a", "1"}, {"b", "2"}}, {{2, 5}});
  bench.parse({kUp, a});
  EXPECT_EQ(bench.parse({kUp, ab}).samples[1], "m{a=1,b=2} 5 2.0");
  EXPECT_EQ(bench.parse({kUp, a}).samples[1], "m{a=1} 5 1.0");
}

TEST(RemoteWrite, WhatCannotBeDefinedIsListed) {
  Bench bench;
  bench.groups.groups_max = 1;
  const auto m = series({{"__name__", "m"}}, {{1, 5}});
  EXPECT_EQ(bench.parse({kUp, m, kUp}),
            (Parsed{{"up{job=a} 1700000000000 1.0", "up{job=a} 1700000000000 1.0"}, {"1: too many groups"}}));
  EXPECT_EQ(bench.outcome.count(Code::limit), 1U);
}

TEST(RemoteWrite, MetadataIsSkipped) {
  std::string body = request({kUp});
  body += std::string("\x1a\x04\x08\x01\x12\x00", 6);
  testing::FakeGroups groups;
  model::RowBatch batch;
  EXPECT_EQ(parse_write_request(body, groups, batch)->accepted, 1U);
}

TEST(RemoteWrite, WhatIsNoWriteRequestIsAnError) {
  const std::string good = request({kUp, kUp});
  std::vector<std::string> bad = {"\x0a", "\x0a\x05",     std::string("\x0a\x01", 2), "\xff",
                                  "\x0b", "metric 1 2\n", good + "\x0a\x09"};
  for (std::size_t cut = 1; cut < good.size(); ++cut) {
    if (cut != good.size() / 2) bad.push_back(good.substr(0, cut));
  }
  for (const auto& body : bad) {
    testing::FakeGroups groups;
    model::RowBatch batch;
    const std::vector<char> exact(body.begin(), body.end());
    const auto got = parse_write_request({exact.data(), exact.size()}, groups, batch);
    ASSERT_FALSE(got) << body;
    EXPECT_EQ(got.error().code, Code::invalid);
    EXPECT_EQ(groups.defines, 0U) << "it leaves no name";
  }
  testing::FakeGroups groups;
  model::RowBatch batch;
  EXPECT_EQ(parse_write_request("", groups, batch)->accepted, 0U);
}

std::string metadata(std::int32_t type, std::string_view metric, std::string_view help, std::string_view unit) {
  std::string bytes;
  protozero::pbf_writer to(bytes);
  to.add_enum(1, type);
  to.add_string(2, metric.data(), metric.size());
  to.add_string(4, help.data(), help.size());
  to.add_string(5, unit.data(), unit.size());
  to.add_uint32(9, 1);  // nobody knows it
  return bytes;
}

TEST(RemoteWrite, MetadataAreTold) {
  std::string body = request({kUp});
  protozero::pbf_writer to(body);
  to.add_message(3, metadata(1, "a", "h", "bytes"));
  to.add_message(3, std::string("\x08"));  // broken
  to.add_message(3, metadata(7, "b", "", ""));
  to.add_message(3, metadata(8, "c", "", ""));
  to.add_message(3, metadata(-1, "d", "", ""));
  to.add_message(3, std::string());
  std::vector<std::string> told;
  const model::MetadataSink sink = [&](const model::MetricMetadata& one) {
    told.push_back(std::string(model::kMetricTypeNames[static_cast<std::size_t>(one.type)]) + " " +
                   std::string(one.metric) + " [" + std::string(one.unit) + "] " + std::string(one.help));
  };
  testing::FakeGroups groups;
  model::RowBatch batch;
  const auto outcome = parse_write_request(body, groups, batch, sink);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->accepted, 1U);
  EXPECT_EQ(outcome->rejected, 0U);
  EXPECT_EQ(told, (std::vector<std::string>{"counter a [bytes] h", "stateset b [] ", "unknown c [] ", "unknown d [] ",
                                            "unknown  [] "}));
}

}  // namespace
}  // namespace varve::protocol::prometheus
