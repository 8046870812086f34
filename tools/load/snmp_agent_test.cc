// SPDX-License-Identifier: Apache-2.0
#include "tools/load/snmp_agent.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace varve::load {
namespace {

constexpr std::int64_t kSince = 1'790'000'000'000;
constexpr std::initializer_list<std::uint32_t> kIfName{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 1};
constexpr std::initializer_list<std::uint32_t> kHcIn{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 6};
constexpr std::initializer_list<std::uint32_t> kIn32{1, 3, 6, 1, 2, 1, 2, 2, 1, 10};
constexpr std::initializer_list<std::uint32_t> kUptime{1, 3, 6, 1, 2, 1, 1, 3};
constexpr std::initializer_list<std::uint32_t> kDiscontinuity{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 19};

Oid row_of(std::initializer_list<std::uint32_t> column, std::uint32_t row) {
  Oid oid(column);
  oid.push_back(row);
  return oid;
}

struct Asked {
  BerTag kind = BerTag::get;
  std::vector<Oid> names;
  int version = 1;
  std::int64_t first = 0, second = 0;  // of GETBULK: non-repeaters and repetitions
  std::string_view community = "dev-0";
};

std::vector<std::uint8_t> request_of(const Asked& asked) {
  BerWriter out;
  const auto message = out.open(BerTag::sequence);
  out.signed_number(BerTag::integer, asked.version);
  out.octets(asked.community);
  const auto pdu = out.open(asked.kind);
  for (const std::int64_t number : {std::int64_t{77}, asked.first, asked.second}) {
    out.signed_number(BerTag::integer, number);
  }
  const auto list = out.open(BerTag::sequence);
  for (const Oid& name : asked.names) {
    const auto varbind = out.open(BerTag::sequence);
    out.object(name);
    out.empty(BerTag::null);
    out.close(varbind);
  }
  for (const auto opened : {list, pdu, message}) out.close(opened);
  return {out.bytes().begin(), out.bytes().end()};
}

// "error index: last.two=value …", of what a client reads; "-" where there is nothing to read.
std::string answer_text(std::span<const std::uint8_t> datagram) {
  BerReader outer(datagram), message, pdu, list, varbind, value;
  std::int64_t version = 0, id = 0, error = 0, index = 0;
  std::string_view community;
  if (!outer.element(BerTag::sequence, message) || !message.integer(version) || !message.octets(community) ||
      !message.element(BerTag::response, pdu) || !pdu.integer(id) || id != 77 || !pdu.integer(error) ||
      !pdu.integer(index) || !pdu.element(BerTag::sequence, list)) {
    return "-";
  }
  std::string text = fmt::format("{} {}:", error, index);
  while (list.element(BerTag::sequence, varbind)) {
    Oid oid;
    if (!varbind.object(oid)) return "-";
    text += fmt::format(" {}.{}=", oid.parts[oid.size - 2], oid.parts[oid.size - 1]);
    BerTag tag{};
    BerReader again = varbind;
    std::string_view octets;
    if (varbind.octets(octets)) {
      text += octets;
    } else if (again.next(tag, value)) {
      text += fmt::format("{:02x}", static_cast<unsigned>(tag));
    }
  }
  return text;
}

class SnmpAgentTest : public ::testing::Test {
 protected:
  Delivery deliver(const Asked& asked, std::int64_t now_ms = kSince + 1000) {
    return agent_.answer(request_of(asked), 0, now_ms, out_);
  }
  std::string ask(const Asked& asked, std::int64_t now_ms = kSince + 1000) {
    return deliver(asked, now_ms).copies == 0 ? "" : answer_text(out_.bytes());
  }
  void tell(std::string_view command, std::int64_t now_ms = kSince + 1000) {
    EXPECT_EQ(agent_.command(command, now_ms), fmt::format("ok {}", now_ms));
  }
  // Does the object have this value then?
  bool shows(std::initializer_list<std::uint32_t> column, std::uint32_t row, std::int64_t now_ms, BerTag tag,
             std::uint64_t value) {
    EXPECT_EQ(deliver({BerTag::get, {row_of(column, row)}}, now_ms).copies, 1U);
    BerWriter wanted;
    wanted.unsigned_number(tag, value);
    const auto bytes = out_.bytes();
    return std::ranges::equal(bytes.last(wanted.size()), wanted.bytes());
  }

  SnmpAgent agent_{{.devices = 3, .interfaces = 5, .bytes_max = 1400, .since_ms = kSince}};
  BerWriter out_;
};

TEST_F(SnmpAgentTest, GetsNextsAndBulks) {
  EXPECT_EQ(ask({BerTag::get, {row_of(kIfName, 2), row_of(kHcIn, 2)}}), "0 0: 1.2=xe-0/0/1 6.2=46");
  EXPECT_EQ(ask({BerTag::get, {row_of(kIfName, 6)}}), "0 0: 1.6=80");
  EXPECT_EQ(ask({BerTag::get, {Oid(kIfName)}}), "0 0: 1.1=80");
  EXPECT_EQ(ask({BerTag::get_next, {Oid(kIfName), row_of(kIfName, 5)}}), "0 0: 1.1=xe-0/0/0 2.1=41");
  EXPECT_EQ(ask({BerTag::get_next, {Oid{1, 3, 6, 1}, Oid{1, 3, 7}}}), "0 0: 1.0=device 0 3.7=82");
  EXPECT_EQ(ask({BerTag::get_bulk, {Oid{1, 3, 6, 1, 2, 1, 1, 3}, row_of(kIfName, 3)}, 1, 1, 3}),
            "0 0: 3.0=43 1.4=xe-0/0/3 1.5=xe-0/0/4 2.1=41");
  EXPECT_EQ(ask({BerTag::get_bulk, {Oid{1, 3, 7}}, 1, 0, 3}), "0 0: 3.7=82") << "nothing more to repeat";
  EXPECT_EQ(ask({BerTag::get_bulk, {row_of(kDiscontinuity, 4)}, 1, 0, 3}), "0 0: 19.5=43 19.5=82");
}

TEST_F(SnmpAgentTest, VersionOne) {
  EXPECT_EQ(ask({BerTag::get, {row_of(kIfName, 2), row_of(kHcIn, 2)}, 0}), "2 2: 1.2=xe-0/0/1 6.2=05");
  EXPECT_EQ(ask({BerTag::get_next, {row_of(kIfName, 5)}, 0}), "0 0: 2.1=41");
  EXPECT_EQ(ask({BerTag::get_next, {row_of(kDiscontinuity, 5)}, 0}), "2 1: 19.5=05");
  EXPECT_EQ(ask({BerTag::get_next, {Oid(kHcIn)}, 0}), "0 0: 15.1=42") << "it has no Counter64";
  EXPECT_EQ(ask({BerTag::get_bulk, {Oid(kIfName)}, 0, 0, 3}), "");
}

// Of device 0.
constexpr std::uint64_t rate_of(std::uint64_t column, std::uint64_t interface) {
  return 1000 + (column * 104'729 + interface * 1'299'709) % 1'000'003;
}

TEST_F(SnmpAgentTest, CountersAreFunctionsOfTime) {
  EXPECT_TRUE(shows(kHcIn, 2, kSince, BerTag::counter64, 0));
  EXPECT_TRUE(shows(kHcIn, 2, kSince + 1, BerTag::counter64, rate_of(6, 2) / 1000));
  EXPECT_TRUE(shows(kHcIn, 2, kSince + 86'400'000, BerTag::counter64, rate_of(6, 2) * 86'400));
  EXPECT_TRUE(shows(kIn32, 2, kSince + 86'400'000, BerTag::counter32, rate_of(6, 2) * 86'400 & 0xffffffff))
      << "the low bits of the same";
}

TEST_F(SnmpAgentTest, WhatHappensToCounters) {
  EXPECT_TRUE(shows(kUptime, 0, kSince + 10'000, BerTag::ticks, 1000));
  tell("0 discontinuity", kSince + 20'000);
  EXPECT_TRUE(shows(kUptime, 0, kSince + 30'000, BerTag::ticks, 3000));
  EXPECT_TRUE(shows(kDiscontinuity, 1, kSince + 30'000, BerTag::ticks, 2000));
  EXPECT_TRUE(shows(kHcIn, 1, kSince + 21'000, BerTag::counter64, rate_of(6, 1)));
  tell("0 restart", kSince + 40'000);
  EXPECT_TRUE(shows(kUptime, 0, kSince + 41'000, BerTag::ticks, 100));
  EXPECT_TRUE(shows(kDiscontinuity, 1, kSince + 41'000, BerTag::ticks, 0));
  EXPECT_TRUE(shows(kHcIn, 1, kSince + 41'000, BerTag::counter64, rate_of(6, 1)));
  tell("0 counters=18446744073709551615", kSince + 50'000);
  EXPECT_TRUE(shows(kHcIn, 1, kSince + 50'000, BerTag::counter64, UINT64_MAX));
  EXPECT_TRUE(shows(kHcIn, 1, kSince + 51'000, BerTag::counter64, rate_of(6, 1) - 1)) << "64 bits are over, too";
}

TEST_F(SnmpAgentTest, NamesMoveWithTheirCounters) {
  tell("0 renumber");
  EXPECT_EQ(ask({BerTag::get, {row_of(kIfName, 1), row_of(kIfName, 5)}}), "0 0: 1.1=xe-0/0/1 1.5=xe-0/0/0");
  EXPECT_TRUE(shows(kHcIn, 1, kSince + 5000, BerTag::counter64, rate_of(6, 2) * 5));
  tell("0 renumber_every=1000");
  EXPECT_EQ(ask({BerTag::get, {row_of(kIfName, 1)}}, 1'790'000'000'000), "0 0: 1.1=xe-0/0/1");
  EXPECT_EQ(ask({BerTag::get, {row_of(kIfName, 1)}}, 1'790'000'001'000), "0 0: 1.1=xe-0/0/2");
}

TEST_F(SnmpAgentTest, Lies) {
  const Asked bulk{BerTag::get_bulk, {Oid(kIfName), Oid(kHcIn)}, 1, 0, 2};
  const std::string honest = "0 0: 1.1=xe-0/0/0 6.1=46 1.2=xe-0/0/1 6.2=46";
  const struct {
    const char* lie;
    std::string answer;
  } cases[] = {
      {"walk=stuck", "0 0: 1.1=xe-0/0/0 6.1=46 1.1=xe-0/0/0 6.1=46"},
      {"wrong=id", "-"},
      {"wrong=kind", "-"},
      {"cut=3", "-"},
      {"silent=1", ""},
      {"loss=1000", ""},
      {"too_big=3", "1 0:"},
      {"too_big=4", honest},
      {"answer=missing", "0 0: 1.1=80 1.6=80"},
      {"answer=empty", "0 0:"},
      {"answer=error", "5 1: 1.1=xe-0/0/0 6.1=46 1.2=xe-0/0/1 6.2=46"},
      {"names=empty", "0 0: 1.1= 6.1=46 1.2=xe-0/0/1 6.2=46"},
      {"names=same", "0 0: 1.1=xe-0/0/1 6.1=46 1.2=xe-0/0/1 6.2=46"},
      {"types=text speed=1", "0 0: 1.1=xe-0/0/0 6.1=929080 1.2=xe-0/0/1 6.2=228783"},
  };
  for (const auto& [lie, answer] : cases) {
    tell(fmt::format("0 {}", lie));
    EXPECT_EQ(ask(bulk), answer) << lie;
    EXPECT_NE(ask({BerTag::get_bulk, bulk.names, 1, 0, 2, "dev-1"}), "") << "another device";
    tell("0 honest");
    EXPECT_EQ(ask(bulk), honest) << lie;
  }
}

TEST_F(SnmpAgentTest, WalksThatDoNotEnd) {
  tell("* walk=endless");
  EXPECT_EQ(ask({BerTag::get_next, {row_of(kIfName, 4'000'000)}}), "0 0: 1.4000001=xe-0/83333/16");
  tell("* walk=loop");
  EXPECT_EQ(ask({BerTag::get_bulk, {row_of(kHcIn, 2)}, 1, 0, 3}), "0 0: 6.3=46 6.1=46 6.2=46");
}

TEST_F(SnmpAgentTest, LateAndTwice) {
  tell("1 delay=250 duplicates=2");
  const auto late = deliver({BerTag::get, {row_of(kIfName, 1)}, 1, 0, 0, "dev-1"});
  EXPECT_EQ(late.copies, 3U);
  EXPECT_EQ(late.delay_ms, 250U);
}

TEST_F(SnmpAgentTest, WhatItHeard) {
  tell("1 hear=2 silent=1");
  EXPECT_EQ(ask({BerTag::get, {row_of(kIfName, 1)}, 1, 0, 0, "dev-1"}, kSince + 7), "");
  ask({BerTag::get_bulk, {Oid(kIfName), Oid(kHcIn)}, 1, 0, 9, "dev-1"}, kSince + 9);
  ask({BerTag::get_next, {Oid(kIfName)}, 1, 0, 0, "dev-1"}, kSince + 11);
  EXPECT_EQ(agent_.command("1 heard", 5), fmt::format("ok 5 {}:g:1 {}:b:2", kSince + 7, kSince + 9));
  EXPECT_EQ(agent_.command("1 heard", 5), "ok 5");
}

TEST_F(SnmpAgentTest, NoAnswerIsLongerThanAllowed) {
  SnmpAgent small({.devices = 1, .interfaces = 100, .bytes_max = 300, .since_ms = kSince});
  const Asked many{BerTag::get_bulk, {Oid(kIfName), Oid(kHcIn)}, 1, 0, 100};
  ASSERT_EQ(small.answer(request_of(many), 0, kSince, out_).copies, 1U);
  EXPECT_LE(out_.size(), 300U);
  EXPECT_TRUE(answer_text(out_.bytes()).starts_with("0 0: 1.1=xe-0/0/0 6.1=46 1.2="));
  const Asked get{BerTag::get, std::vector<Oid>(20, row_of(kIfName, 1))};
  ASSERT_EQ(small.answer(request_of(get), 0, kSince, out_).copies, 1U);
  EXPECT_EQ(answer_text(out_.bytes()), "1 0:");
}

TEST_F(SnmpAgentTest, WhoIsAsked) {
  const auto asked = [this](std::string_view community, std::uint32_t address) {
    return agent_.answer(request_of({BerTag::get, {row_of(kIfName, 1)}, 1, 0, 0, community}), address, kSince, out_)
        .copies;
  };
  EXPECT_EQ(asked("public", 2), 1U);
  EXPECT_EQ(asked("public", 3), 0U) << "there is no such device";
  EXPECT_EQ(asked("dev-2", 9), 1U) << "the community says it";
  EXPECT_EQ(asked("dev-3", 0), 0U);
  EXPECT_EQ(agent_.command("2 stats", 1), "ok 1 2 2 2");
  EXPECT_EQ(agent_.command("0-1 stats", 1), "ok 1 0 0 0");
  for (const char* line : {"", "3 restart", "2-1 restart", "x restart", "0 restarted", "0 loss=a", "0 walk=on"}) {
    EXPECT_TRUE(agent_.command(line, 1).starts_with("error: ")) << line;
  }
}

}  // namespace
}  // namespace varve::load
