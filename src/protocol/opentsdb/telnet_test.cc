// SPDX-License-Identifier: Apache-2.0
// One line a case: what is said to the server, the samples it takes and what it answers. Each case is fed whole, byte
// by byte, and cut in two at every place, with groups unknown and known: all must give the same.
#include "protocol/opentsdb/telnet.h"

#include <gtest/gtest.h>

#include "protocol/opentsdb/fake_targets.h"

namespace varve::protocol::opentsdb {
namespace {

TelnetOptions options() {
  TelnetOptions o;
  o.version = "varve 1";
  return o;
}

std::string say(std::initializer_list<std::string_view> pieces, FakeTargets& targets, const TelnetOptions& with) {
  TelnetParser parser(targets, with);
  targets.drop();
  std::string replies;
  for (const auto piece : pieces) {
    // A copy, so that a read outside is one outside of the heap block.
    const std::vector<char> exact(piece.begin(), piece.end());
    parser.feed({exact.data(), exact.size()}, replies);
  }
  std::string text = targets.samples();
  for (auto& c : replies) {
    if (c == '\n') c = '$';
  }
  return replies.empty() ? text : text + " ! " + replies;
}

std::string said(std::string_view text, const TelnetOptions& with = options()) {
  FakeTargets fresh;
  const std::string want = say({text}, fresh, with);
  for (const bool keep_names : {true, false}) {
    FakeTargets targets;
    targets.keep_names = keep_names;
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      EXPECT_EQ(say({text.substr(0, cut), text.substr(cut)}, targets, with), want) << text << " cut at " << cut;
    }
    const std::string padded = std::string(text) + "\n" + std::string(80, '\n');  // so that the fast way may be taken
    EXPECT_EQ(say({padded}, targets, with), say({padded.substr(0, text.size() + 1)}, targets, with)) << text;
    TelnetParser bytewise(targets, with);
    targets.drop();
    std::string replies;
    for (const char c : text) bytewise.feed({&c, 1}, replies);
    EXPECT_TRUE(want.starts_with(targets.samples())) << text << " byte by byte";
    EXPECT_EQ(replies.empty(), want.find(" ! ") == std::string::npos) << text << " byte by byte";
  }
  return want;
}

struct LineCase {
  const char* text;
  const char* want;
};

TEST(Telnet, Put) {
  const LineCase cases[] = {
      {"put m 1234567890 42 host=a\n", "m{host=a} 1234567890000 42"},
      {"put m 1234567890 42 host=a\r\n", "m{host=a} 1234567890000 42"},
      {"put m 1234567891000 7.5 host=a\n", "m{host=a} 1234567891000 7.5"},
      {"put m 2999999999 1 host=a\n", "m{host=a} 2999999999000 1"},
      {"put m 3000000001 1 host=a\n", "m{host=a} 3000000001 1"},
      {"put m -5 1 host=a\n", "m{host=a} -5000 1"},
      {"put m 0 1 host=a\n", "m{host=a} 0 1"},
      {"put m 1234567890.25 1 host=a\n", "m{host=a} 1234567890250 1"},
      {"putm m 1234567892 3 host=a\n", "m{host=a} 1234567892 3"},
      {"putm m -1 3 host=a\n", "m{host=a} -1 3"},
      {"puts m 1234567890 hello host=a\n", "m{host=a} 1234567890 \"hello\""},
      {"puts m 1700000000123 42 host=a\n", "m{host=a} 1700000000123 \"42\""},
      {"puts m -5 \"two words\" host=a\n", "m{host=a} -5 \"two words\""},
      {"  put  m   1700000000\t 1   host=a    dc=x  \r\n", "m{dc=x,host=a} 1700000000000 1"},
      {"put load.load.shortterm 1795160835 0.62 fqdn=h1  dc=x1\r\n",
       "load.load.shortterm{dc=x1,fqdn=h1} 1795160835000 0.62"},
      {"put m 1700000001 2\n", "m{add=tag} 1700000001000 2"},
      {"put m 1700000002 3 kairos_opt.ttl=120 host=b\n", "m{host=b}~120 1700000002000 3"},
      {"put m 1700000002 3 kairos_opt.ttl=0 host=b\n", "m{host=b} 1700000002000 3"},
      {"put m 1700000002 3 host=b kairos_opt.ttl=60\n", "m{host=b}~60 1700000002000 3"},
      {"put m 1700000005 6 k=v=w\n", "m{k=v} 1700000005000 6"},
      {"put m 1 1 a=b a=b\n", "m{a=b} 1000 1"},
      {"put m 1 -0.0 a=b\n", "m{a=b} 1000 -0.0"},
      {"put m 1 12.0 a=b\n", "m{a=b} 1000 12.0"},
      {"put m 1 1e+20 a=b\n", "m{a=b} 1000 1e+20"},
      {"put m 1 1.5e-07 a=b\n", "m{a=b} 1000 1.5e-07"},
      {"put m 1 +5 a=b\n", "m{a=b} 1000 5"},
      {"put m 1 9223372036854775807 a=b\n", "m{a=b} 1000 9223372036854775807"},
      {"put m 1 0.1234567890123456789 a=b\n", "m{a=b} 1000 0.12345678901234568"},
      {"put \"a metric\" 1 1 a=b\n", "a metric{a=b} 1000 1"},
      {"put m 1 1 \"a=b c\"\n", "m{a=b c} 1000 1"},
      {"put m 1 1 a=with\"in\n", "m{a=with\"in} 1000 1"},
      {"put m 1 1 a=\xc3\xa9\n", "m{a=é} 1000 1"},
      {"\n\r\n  \nput m 1 1 a=b\n\n", "m{a=b} 1000 1"},
      {"put m 1 1 a=b\nput m 2 2 a=b\nput n 2 2 a=b\n", "m{a=b} 1000 1 | m{a=b} 2000 2 | n{a=b} 2000 2"},
      {"put m 1 1 a=b", ""},  // no end: may be cut
  };
  for (const auto& c : cases) EXPECT_EQ(said(c.text), c.want) << c.text;
}

TEST(Telnet, BadLinesAreAnsweredAndCostNoNeighbour) {
  const LineCase cases[] = {
      {"put", "not enough arguments (need least 4, got 0)"},
      {"put m 1", "not enough arguments (need least 4, got 2)"},
      {"put m 1 1 host=", "invalid tag: host="},
      {"put m 1 1 =x", "invalid tag: =x"},
      {"put m 1 1 bad", "invalid tag: bad"},
      {"put m 1 1 a=b a=c", "duplicate tag: a=c, tags={a=b}"},
      {"put \"\" 1 1 a=b", "empty metric name"},
      {"put m 1 \"\" a=b", "empty value"},
      {"put m 9007199254740993 1 a=b", "invalid timestamp: 9007199254740993"},
      {"put m -9007199254741 1 a=b", "invalid timestamp: -9007199254741"},
      {"put m -160000000600000000 1 a=b", "invalid timestamp: -160000000600000000"},
      {"put m 1e3.5 1 a=b", nullptr},
      {"put m 1 1e999 a=b", "value is NaN or Infinite: 1e999 for metric=m"},
      {"put m 1 1 a=\xff", "the metric and tags must be valid UTF-8"},
      {"put m 1 1 tenant=no/such a=b", "not a tenant: 'no/such'"},
  };
  for (const auto& c : cases) {
    if (c.want == nullptr) continue;
    EXPECT_EQ(said("put n 1 1 a=b\n" + std::string(c.text) + "\nput n 2 2 a=b\n"),
              "n{a=b} 1000 1 | n{a=b} 2000 2 ! put: illegal argument: " + std::string(c.want) + "$");
  }
  const LineCase values[] = {
      {"put m abc 1 a=b", "put: invalid value: Invalid character 'a' in abc"},
      {"put m 1 abc a=b", "put: invalid value: Invalid character 'a' in abc"},
      {"put m 1 nan a=b", "put: invalid value: Invalid character 'n' in nan"},
      {"put m 1 - a=b", "put: invalid value: Just a sign, no value: -"},
      {"put m 1 12345678901234567890 a=b", "put: invalid value: Value too long: 12345678901234567890"},
      {"put m 1 9223372036854775808 a=b", "put: invalid value: Overflow in 9223372036854775808"},
      {"put m 1 1.2.3 a=b", "put: invalid value: For input string: \"1.2.3\""},
      {"put m 1 1. .", "put: illegal argument: invalid tag: ."},
      {"put m 1e3.5 1 a=b", "put: invalid value: For input string: \"1e3.5\""},
      {"put m 1 1 a=b kairos_opt.ttl=x", "put: invalid value: Invalid character 'x' in x"},
      {"putm m 1.5 1 a=b", "putm: invalid value: Invalid character '.' in 1.5"},
      {"puts m 1.5 x a=b", "puts: invalid value: Invalid character '.' in 1.5"},
      {"putm m", "putm: illegal argument: not enough arguments (need least 4, got 1)"},
      {"puts m 1 \"\" a=b", "puts: illegal argument: empty value"},
      {"puts m 1 \xff a=b", "puts: illegal argument: the value must be valid UTF-8"},
      {"PUT m 1 1 a=b", "unknown command: PUT.  Try `help'."},
      {"putx m 1 1 a=b", "unknown command: putx.  Try `help'."},
      {"get / HTTP/1.1", "unknown command: get.  Try `help'."},
  };
  for (const auto& c : values) {
    EXPECT_EQ(said("put n 1 1 a=b\r\n" + std::string(c.text) + "\r\nput n 2 2 a=b\r\n"),
              "n{a=b} 1000 1 | n{a=b} 2000 2 ! " + std::string(c.want) + "$");
  }
}

TEST(Telnet, Commands) {
  EXPECT_EQ(said("version\n"), " ! varve 1$");
  EXPECT_EQ(said("help\r\n"), " ! available commands: put putm puts version help exit $");
  EXPECT_EQ(said("put m 1 1 a=b\nexit\nput m 2 2 a=b\nversion\n"), "m{a=b} 1000 1");
  FakeTargets targets;
  TelnetParser parser(targets, options());
  std::string replies;
  EXPECT_TRUE(parser.feed("version\nex", replies));
  EXPECT_EQ(parser.pending(), 2U);
  EXPECT_FALSE(parser.feed("it\nversion\n", replies));
  EXPECT_FALSE(parser.feed("version\n", replies));
  EXPECT_EQ(replies, "varve 1\n");
}

TEST(Telnet, SilentIfWanted) {
  auto quiet = options();
  quiet.answer_errors = false;
  EXPECT_EQ(said("put m 1 x a=b\nfoo\nput m 1 1 a=b\nversion\n", quiet), "m{a=b} 1000 1 ! varve 1$");
}

TEST(Telnet, LongLinesAreSkipped) {
  auto narrow = options();
  narrow.line_max = 20;
  const std::string error = "put: illegal argument: line too long (at most 20 bytes)$";
  EXPECT_EQ(said("put m 1 1 abcdef=ghi\n", narrow), "m{abcdef=ghi} 1000 1");
  EXPECT_EQ(said("put m 1 1 abcdef=ghi\r\n", narrow), "m{abcdef=ghi} 1000 1");
  EXPECT_EQ(said("put m 1 1 abcdef=ghij\nput m 2 2 a=b\n", narrow), "m{a=b} 2000 2 ! " + error);
  EXPECT_EQ(said("put m 1 1 abcdef=ghij\r\nput m 2 2 a=b\n", narrow), "m{a=b} 2000 2 ! " + error);
  EXPECT_EQ(said("put m 1 1 a=b\n" + std::string(100, 'x') + "\nput m 2 2 a=b\n", narrow),
            "m{a=b} 1000 1 | m{a=b} 2000 2 ! " + error);
  FakeTargets targets;
  TelnetParser parser(targets, narrow);
  std::string replies;
  for (int i = 0; i < 1000; ++i) parser.feed("0123456789", replies);
  EXPECT_LE(parser.pending(), 21U);
  EXPECT_EQ(parser.refused(), 1U);
}

TEST(Telnet, TenantTag) {
  EXPECT_EQ(said("put m 1 1 host=a tenant=t1\n"), "t1/m{host=a} 1000 1");
  EXPECT_EQ(said("put m 1 1 tenant=t1 host=a\nput m 2 2 host=a\nput m 3 3 host=a tenant=t1\nput m 4 4 role=tenant\n"),
            "m{host=a} 2000 2 | m{role=tenant} 4000 4 | t1/m{host=a} 1000 1 | t1/m{host=a} 3000 3");
  auto named = options();
  named.tenant_tag = TenantTag::ignored;
  EXPECT_EQ(said("put m 1 1 host=a tenant=t1\n", named), "m{host=a} 1000 1");
  auto plain = options();
  plain.tenant_tag = TenantTag::plain;
  EXPECT_EQ(said("put m 1 1 host=a tenant=t1\nput m 2 2 host=a tenant=t1\n", plain),
            "m{host=a,tenant=t1} 1000 1 | m{host=a,tenant=t1} 2000 2");
}

TEST(Telnet, KeysOfOneTenantAreNotAnothers) {
  FakeTargets targets;
  const std::string_view text = "put m 1 1 host=a tenant=t1\nput m 1 1 role=tenant\n";
  EXPECT_EQ(say({text}, targets, options()), "m{role=tenant} 1000 1 | t1/m{host=a} 1000 1");
  targets.own = "t1";
  EXPECT_EQ(say({text}, targets, options()), "m{host=a} 1000 1 | m{role=tenant} 1000 1");
  targets.own = "t2";
  EXPECT_EQ(say({text}, targets, options()), "t1/m{host=a} 1000 1 | m{role=tenant} 1000 1");
}

TEST(Telnet, KnownLinesAreNotParsedAgain) {
  std::string text;
  for (int i = 0; i < 50; ++i)
    text += "put cpu.user 1700000000 " + std::to_string(i) + ".5 host=h" + std::to_string(i) + " dc=x\n";
  text += std::string(64, '\n');
  FakeTargets targets;
  const auto first = say({text}, targets, options());
  const auto finds = targets.finds();
  EXPECT_EQ(say({text}, targets, options()), first);
  EXPECT_EQ(targets.defines(), 50U);
  EXPECT_EQ(targets.finds(), finds + 1);
}

TEST(Telnet, Counts) {
  FakeTargets targets;
  targets.groups_max = 1;
  TelnetParser parser(targets, options());
  std::string replies;
  parser.feed("put m 1 1 a=b\nput n 1 1 a=b\nversion\nx\n", replies);
  EXPECT_EQ(parser.taken(), 1U);
  EXPECT_EQ(parser.refused(), 2U);
  EXPECT_EQ(replies, "put: storage error: too many groups\nvarve 1\nunknown command: x.  Try `help'.\n");
}

TEST(Telnet, ASampleOlderThanAllThatIsKeptIsNamed) {
  FakeTargets targets;
  targets.kept_from = 1'600'000'000'000;
  TelnetParser parser(targets, options());
  std::string replies;
  for (int round = 0; round < 2; ++round) {  // the group is new, then known
    parser.feed("put m 1599999999 1 h=a\nput m 1600000000 1 h=a\nputm m 1700000000 1 h=a\n" + std::string(80, '\n'),
                replies);
  }
  const std::string want =
      "put: illegal argument: m at 2020-09-13T12:26:39Z (1599999999000 ms) is older than what is kept of its series, "
      "which "
      "begins at 2020-09-13T12:26:40Z\n"
      "putm: illegal argument: m at 1970-01-20T16:13:20Z (1700000000 ms) is older than what is kept of its series, "
      "which "
      "begins at 2020-09-13T12:26:40Z; timestamps are taken as seconds or milliseconds (by their size) here: is that "
      "their unit?\n";
  EXPECT_EQ(replies, want + want);
  EXPECT_EQ(targets.samples(), "m{h=a} 1600000000000 1 | m{h=a} 1600000000000 1");
  EXPECT_EQ(parser.refused(), 4U);
  EXPECT_EQ(parser.too_old(), 4U);
  EXPECT_EQ(targets.defines(), 1U);
}

}  // namespace
}  // namespace varve::protocol::opentsdb
