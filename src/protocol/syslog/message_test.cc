// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "protocol/syslog/testing/told.h"

namespace varve::protocol::syslog {
namespace {

void expect_all(const std::vector<Case>& cases, model::TimeZone zone = {}) {
  for (const Case& c : cases) EXPECT_EQ(parsed(c.frame, zone), c.want) << c.frame;
}

TEST(SyslogMessage, Priorities) {
  expect_all({
      {"<0>x", "192.0.2.7 UNKNOWN kern.0 2023-10-10T12:00:00 'x'"},
      {"<13>x", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 'x'"},
      {"<191>x", "192.0.2.7 UNKNOWN local7.7 2023-10-10T12:00:00 'x'"},
      {"<86>x", "192.0.2.7 UNKNOWN authpriv.6 2023-10-10T12:00:00 'x'"},
      {"<102>x", "192.0.2.7 UNKNOWN ntp.6 2023-10-10T12:00:00 'x'"},
      {"<013>x", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 'x'"},
      {"<192>x", "no_priority"},
      {"<999>x", "no_priority"},
      {"<0013>x", "no_priority"},
      {"<>x", "no_priority"},
      {"<13x", "no_priority"},
      {"<13", "no_priority"},
      {"<", "no_priority"},
      {"<-1>x", "no_priority"},
      {"<+1>x", "no_priority"},
      {"< 1>x", "no_priority"},
      {"<1 >x", "no_priority"},
      {"<a>x", "no_priority"},
      {" <13>x", "no_priority"},
      {"\n<13>x", "no_priority"},
      {"x", "no_priority"},
      {"\xEF\xBB\xBF<13>x", "no_priority"},
      {"", "empty"},
      {"<13>", "empty"},
  });
}

TEST(SyslogMessage, ACountInFrontIsTolerated) {
  expect_all({
      {"5 <13>x", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 'x'"},
      {"0 <13>x", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 'x'"},
      {"30 <13>Oct  3 10:11:12 h1 su[42]: text", "h1 su(42) user.5 2023-10-03T10:11:12 'text'"},
      {"47 <13>1 2003-10-11T22:14:15Z h app 1 - - text", "h app(1) user.5 2003-10-11T22:14:15 'text'"},
      {"5<13>x", "no_priority"},
      {"5  <13>x", "no_priority"},
      {"-5 <13>x", "no_priority"},
      {"5 x", "no_priority"},
      {"5 ", "no_priority"},
      {"123456789 <13>x", "no_priority"},
      {"5 <13>", "empty"},
  });
}

TEST(SyslogMessage, Rfc5424) {
  expect_all({
      // The examples of the RFC.
      {"<34>1 2003-10-11T22:14:15.003Z mymachine.example.com su - ID47 - \xEF\xBB\xBF'su root' failed on /dev/pts/8",
       "mymachine.example.com su auth.2 2003-10-11T22:14:15.003000 {msgid=ID47} ''su root' failed on /dev/pts/8'"},
      {"<165>1 2003-08-24T05:14:15.000003-07:00 192.0.2.1 myproc 8710 - - %% It's time",
       "192.0.2.1 myproc(8710) local4.5 2003-08-24T12:14:15.000003 '%% It's time'"},
      {"<165>1 2003-10-11T22:14:15.003Z h evntslog - ID47 [exampleSDID@32473 iut=\"3\" eventSource=\"App\" "
       "eventID=\"1011\"] \xEF\xBB\xBF"
       "An entry",
       "h evntslog local4.5 2003-10-11T22:14:15.003000 {exampleSDID@32473.iut=3 exampleSDID@32473.eventSource=App "
       "exampleSDID@32473.eventID=1011 msgid=ID47} 'An entry'"},
      {"<165>1 2003-10-11T22:14:15Z h e - I [a@1 x=\"3\"][b@1 c=\"high\"]",
       "h e local4.5 2003-10-11T22:14:15 {a@1.x=3 b@1.c=high msgid=I} -"},
      // As logger(1) sends them.
      {"<13>1 2026-11-24T13:23:57.690150+00:00 vm root - - [timeQuality tzKnown=\"1\" isSynced=\"0\"] hello world",
       "vm root user.5 2026-11-24T13:23:57.690150 {timeQuality.tzKnown=1 timeQuality.isSynced=0} 'hello world'"},
      {"<13>1 - - root - - - hello", "192.0.2.7 root user.5 2023-10-10T12:00:00 'hello'"},
      {"<13>1 2026-11-24T13:23:57.7+00:00 vm root - - [timeQuality tzKnown=\"1\"] ",
       "vm root user.5 2026-11-24T13:23:57.700000 {timeQuality.tzKnown=1} -"},
      // Whatever may be nothing is nothing.
      {"<13>1 - - - - - -", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 -"},
      {"<13>1 - - - - - - ", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 -"},
      {"<13>1 - - - - - -   two blanks", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 ' two blanks'"},
      {"<13>1 - - - - - - \xEF\xBB\xBF", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 -"},
      {"<13>1 -", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 -"},
      {"<13>1 - h", "h UNKNOWN user.5 2023-10-10T12:00:00 -"},
      {"<13>1 - h app", "h app user.5 2023-10-10T12:00:00 -"},
      {"<13>1 - h app 5 m", "h app(5) user.5 2023-10-10T12:00:00 {msgid=m} -"},
      {"<13>1 - h app 5 - - two\nlines\n", "h app(5) user.5 2023-10-10T12:00:00 'two\nlines\n'"},
      // PROCID may be anything.
      {"<13>1 - h app 007 - - x", "h app(7) user.5 2023-10-10T12:00:00 'x'"},
      {"<13>1 - h app main-1 - - x", "h app user.5 2023-10-10T12:00:00 {procid=main-1} 'x'"},
      {"<13>1 - h app -5 - - x", "h app user.5 2023-10-10T12:00:00 {procid=-5} 'x'"},
      {"<13>1 - h app 5a - - x", "h app user.5 2023-10-10T12:00:00 {procid=5a} 'x'"},
      {"<13>1 - h app 9223372036854775808 - - x", "h app user.5 2023-10-10T12:00:00 {procid=9223372036854775808} 'x'"},
      // Without a good time it is a text.
      {"<13>1 yesterday h app 5 - - x", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 '1 yesterday h app 5 - - x'"},
      {"<13>2 - h app 5 - - x", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 '2 - h app 5 - - x'"},
      {"<13>1 -x h", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 '1 -x h'"},
      {"<13>1", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 '1'"},
  });
}

TEST(SyslogMessage, StructuredData) {
  constexpr std::string_view kInFront = "h a user.5 2023-10-10T12:00:00 ";
  const auto told_of = [&](std::string_view data) {
    return parsed("<13>1 - h a - - " + std::string(data)).substr(kInFront.size());
  };
  const std::vector<Case> cases{
      {R"([i a="x\"y"] t)", R"({i.a=x"y} 't')"},
      {R"([i a="x\\"] t)", R"({i.a=x\} 't')"},
      {R"([i a="x\]y"] t)", R"({i.a=x]y} 't')"},
      {R"([i a="x\ny\"] t"])", R"({i.a=x\ny"] t} -)"},
      {R"([i a="x]y [z"] t)", R"({i.a=x]y [z} 't')"},
      {R"([i a=""] t)", R"({i.a=} 't')"},
      {R"([i a="\\\\\]\""] t)", R"({i.a=\\]"} 't')"},
      {R"([i a="1" a="2"] t)", R"({i.a=2} 't')"},
      {R"([i] t)", R"('t')"},
      {R"([i][j] t)", R"('t')"},
      {R"([i a="1"  b="2" ] t)", R"({i.a=1 i.b=2} 't')"},
      {R"([i a="1"]t)", R"('[i a="1"]t')"},
      {R"([i a="1"] [j b="2"])", R"({i.a=1} '[j b="2"]')"},
      {R"([i a="1"][j b="2)", R"('[i a="1"][j b="2')"},
      {R"([i a="1\)", R"('[i a="1\')"},
      {R"([i a="1\")", R"('[i a="1\"')"},
      {R"([i a=1] t)", R"('[i a=1] t')"},
      {R"([i a] t)", R"('[i a] t')"},
      {R"([ a="1"] t)", R"('[ a="1"] t')"},
      {R"([])", R"('[]')"},
      {R"([)", R"('[')"},
      {R"(text at once)", R"('text at once')"},
      {R"(-text)", R"('-text')"},
      {"[i a=\"\xC3\xA9\n\"] t", "{i.a=\xC3\xA9\n} 't'"},
  };
  for (const Case& c : cases) EXPECT_EQ(told_of(c.frame), c.want) << c.frame;
}

// More than a message may have: it stays text, and nothing is lost.
TEST(SyslogMessage, StructuredDataBeyondLimitsIsText) {
  const auto with = [](const std::string& data) {
    const std::string out = parsed("<13>1 - h a p m " + data + " t");
    return out.ends_with(data + " t'");
  };
  EXPECT_FALSE(with("[i " + std::string(254, 'n') + "=\"1\"]"));
  EXPECT_TRUE(with("[i " + std::string(255, 'n') + "=\"1\"]"));
  std::string many = "[i";
  for (int i = 0; i < 990; ++i) many += " p" + std::to_string(i) + "=\"1\"";
  EXPECT_FALSE(with(many + "]"));
  EXPECT_TRUE(with(many + " more=\"1\"]"));
}

TEST(SyslogMessage, Rfc3164) {
  expect_all({
      {"<13>Oct  3 10:11:12 h1 su[42]: text", "h1 su(42) user.5 2023-10-03T10:11:12 'text'"},
      {"<13>Oct 3 10:11:12 h1 su[42]: text", "h1 su(42) user.5 2023-10-03T10:11:12 'text'"},
      {"<13>Oct 03 10:11:12 h1 su[42]: text", "h1 su(42) user.5 2023-10-03T10:11:12 'text'"},
      {"<13>OCT 13 10:11:12 h1 su: text", "h1 su user.5 2022-10-13T10:11:12 'text'"},
      {"<13> Oct  3 10:11:12 h1 su: text", "h1 su user.5 2023-10-03T10:11:12 'text'"},
      {"<13>Nov 24 13:23:57 vm root: ", "vm root user.5 2022-11-24T13:23:57 -"},
      {"<13>Nov 24 13:23:57 vm my tag[25577]: hello", "vm UNKNOWN user.5 2022-11-24T13:23:57 'my tag[25577]: hello'"},
      // Without a host.
      {"<13>Oct  3 10:11:12 su[42]: text", "192.0.2.7 su(42) user.5 2023-10-03T10:11:12 'text'"},
      {"<13>Oct  3 10:11:12 su: text", "192.0.2.7 su user.5 2023-10-03T10:11:12 'text'"},
      {"<13>Oct  3 10:11:12 - su: text", "192.0.2.7 su user.5 2023-10-03T10:11:12 'text'"},
      {"<13>Oct  3 10:11:12 text", "192.0.2.7 UNKNOWN user.5 2023-10-03T10:11:12 'text'"},
      {"<13>Oct  3 10:11:12", "192.0.2.7 UNKNOWN user.5 2023-10-03T10:11:12 -"},
      {"<13>Oct  3 10:11:12 ", "192.0.2.7 UNKNOWN user.5 2023-10-03T10:11:12 -"},
      // Without a tag.
      {"<13>Oct  3 10:11:12 h1 some text", "h1 UNKNOWN user.5 2023-10-03T10:11:12 'some text'"},
      {"<13>Oct  3 10:11:12 h1 {\"a\": 1}", "h1 UNKNOWN user.5 2023-10-03T10:11:12 '{\"a\": 1}'"},
      {"<13>Oct  3 10:11:12 h1 k=v: 1", "h1 UNKNOWN user.5 2023-10-03T10:11:12 'k=v: 1'"},
      {"<13>Oct  3 10:11:12 h1 : text", "h1 UNKNOWN user.5 2023-10-03T10:11:12 ': text'"},
      {"<13>Oct  3 10:11:12 h1 [12]: text", "h1 UNKNOWN user.5 2023-10-03T10:11:12 '[12]: text'"},
      {"<13>Oct  3 10:11:12 h1 [12.5] text", "h1 UNKNOWN user.5 2023-10-03T10:11:12 '[12.5] text'"},
      {"<13>Oct  3 10:11:12 h1 arr[i] = 5", "h1 UNKNOWN user.5 2023-10-03T10:11:12 'arr[i] = 5'"},
      {"<13>Oct  3 10:11:12 h1 http://x y", "h1 UNKNOWN user.5 2023-10-03T10:11:12 'http://x y'"},
      {"<13>Oct  3 10:11:12 h1  su: text", "h1 UNKNOWN user.5 2023-10-03T10:11:12 ' su: text'"},
      // Tags.
      {"<22>Oct  3 10:11:12 h1 postfix/smtpd[1234]: connect",
       "h1 postfix/smtpd(1234) mail.6 2023-10-03T10:11:12 'connect'"},
      {"<13>Oct  3 10:11:12 h1 (sd-pam)[7]: x", "h1 (sd-pam)(7) user.5 2023-10-03T10:11:12 'x'"},
      {"<13>Oct  3 10:11:12 h1 a::b: x", "h1 a::b user.5 2023-10-03T10:11:12 'x'"},
      {"<13>Oct  3 10:11:12 h1 su[42] x", "h1 su(42) user.5 2023-10-03T10:11:12 'x'"},
      {"<13>Oct  3 10:11:12 h1 su[42]:x", "h1 su(42) user.5 2023-10-03T10:11:12 'x'"},
      {"<13>Oct  3 10:11:12 h1 su[42]:", "h1 su(42) user.5 2023-10-03T10:11:12 -"},
      {"<13>Oct  3 10:11:12 h1 su[42]:  x", "h1 su(42) user.5 2023-10-03T10:11:12 ' x'"},
      {"<13>Oct  3 10:11:12 h1 su[main]: x", "h1 su user.5 2023-10-03T10:11:12 {procid=main} 'x'"},
      {"<13>Oct  3 10:11:12 h1 su[]: x", "h1 su user.5 2023-10-03T10:11:12 'x'"},
      {"<13>Oct  3 10:11:12 h1 su[42: x", "h1 UNKNOWN user.5 2023-10-03T10:11:12 'su[42: x'"},
      {"<6>Oct  3 10:11:12 h1 kernel: [    1.5] x: y", "h1 kernel kern.6 2023-10-03T10:11:12 '[    1.5] x: y'"},
      {"<13>Oct  3 10:11:12 h1 systemd-networkd-wait-online[123 x",
       "h1 systemd-networkd-wait-online user.5 2023-10-03T10:11:12 'x'"},  // 32 bytes: rsyslog cut it
      {"<13>Oct  3 10:11:12 h1 su: \xEF\xBB\xBFx", "h1 su user.5 2023-10-03T10:11:12 'x'"},
      {"<13>Oct  3 10:11:12 h1 su: x\ny", "h1 su user.5 2023-10-03T10:11:12 'x\ny'"},
      // Hosts.
      {"<13>Oct  3 10:11:12 2001:db8::1 su: x", "2001:db8::1 su user.5 2023-10-03T10:11:12 'x'"},
      {"<13>Oct  3 10:11:12 [2001:db8::1] su: x", "2001:db8::1 su user.5 2023-10-03T10:11:12 'x'"},
      {"<13>Oct  3 10:11:12 a/b.c su: x", "a/b.c su user.5 2023-10-03T10:11:12 'x'"},
      // Without a date there is no host.
      {"<13>su[42]: text", "192.0.2.7 su(42) user.5 2023-10-10T12:00:00 'text'"},
      {"<14>plain words here", "192.0.2.7 UNKNOWN user.6 2023-10-10T12:00:00 'plain words here'"},
      {"<13> words", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 ' words'"},
      {"<13>Oct 32 10:11:12 h1 su: x", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 'Oct 32 10:11:12 h1 su: x'"},
      {"<13>Okt  3 10:11:12 h1 su: x", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 'Okt  3 10:11:12 h1 su: x'"},
      {"<13>Oct  3 24:11:12 h1 su: x", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 'Oct  3 24:11:12 h1 su: x'"},
  });
}

TEST(SyslogMessage, Rfc3339InFrontOfRfc3164) {
  expect_all({
      {"<13>2023-10-03T10:11:12.123456+02:00 h1 su[42]: text", "h1 su(42) user.5 2023-10-03T08:11:12.123456 'text'"},
      {"<13>2023-10-03T10:11:12Z h1 su: text", "h1 su user.5 2023-10-03T10:11:12 'text'"},
      {"<13>2023-10-03T10:11:12Z su: text", "192.0.2.7 su user.5 2023-10-03T10:11:12 'text'"},
      {"<13>2023-10-03T10:11:12Zx su: text",
       "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 '2023-10-03T10:11:12Zx su: text'"},
      {"<13>2023-10-03 10:11:12 su: text", "192.0.2.7 su user.5 2023-10-03T10:11:12 'text'"},
  });
}

TEST(SyslogMessage, DatesBesideTheRfcs) {
  expect_all({
      {"<189>.Oct  3 10:11:12.123 UTC: %SYS-5-C: x",
       "192.0.2.7 SYS local7.5 2023-10-03T10:11:12.123000 {mnemonic=C} 'x'"},
      {"<189>Oct  3 2001 10:11:12: %ASA-6-3: x", "192.0.2.7 ASA local7.5 2001-10-03T10:11:12 {mnemonic=3} 'x'"},
      {"<189>Oct  3 10:11:12,5 h su: x", "h su local7.5 2023-10-03T10:11:12.500000 'x'"},
      {"<189>Oct  3 10:11:12 GMTx su: x", "GMTx su local7.5 2023-10-03T10:11:12 'x'"},
      {"<189>Oct  3 10:11:12: h su: x", "192.0.2.7 UNKNOWN local7.5 2023-10-03T10:11:12 'h su: x'"},
  });
}

TEST(SyslogMessage, Times) {
  const auto time = [](std::string_view date, std::string_view zone = "") {
    const std::string out = parsed("<13>1 " + std::string(date) + " h a - - -", *model::TimeZone::find(zone));
    return out.starts_with("h a user.5 ") ? out.substr(11, out.size() - 13) : "none";
  };
  const std::vector<Case> cases{
      {"2003-10-11T22:14:15Z", "2003-10-11T22:14:15"},
      {"2003-10-11t22:14:15z", "2003-10-11T22:14:15"},
      {"2003-10-11T22:14:15.1Z", "2003-10-11T22:14:15.100000"},
      {"2003-10-11T22:14:15.123456Z", "2003-10-11T22:14:15.123456"},
      {"2003-10-11T22:14:15.123456789Z", "2003-10-11T22:14:15.123456789"},
      {"2003-10-11T22:14:15.12345678901234Z", "2003-10-11T22:14:15.123456789"},
      {"2003-10-11T22:14:15.000000001Z", "2003-10-11T22:14:15.000000001"},
      {"2003-10-11T22:14:15+05:30", "2003-10-11T16:44:15"},
      {"2003-10-11T22:14:15-0330", "2003-10-12T01:44:15"},
      {"2003-10-11T22:14:15+02", "2003-10-11T20:14:15"},
      {"2003-12-31T23:59:60Z", "2004-01-01T00:00:00"},
      {"2004-02-29T00:00:00Z", "2004-02-29T00:00:00"},
      {"2003-02-29T00:00:00Z", "none"},
      {"2003-13-01T00:00:00Z", "none"},
      {"2003-00-01T00:00:00Z", "none"},
      {"2003-01-00T00:00:00Z", "none"},
      {"2003-10-11T22:14Z", "none"},
      {"2003-10-11T22:14:15.Z", "none"},
      {"2003-10-11T22:60:15Z", "none"},
      {"2003-10-11T22:14:61Z", "none"},
      {"2003-10-11T22:14:15+24:00", "none"},
      {"2003-10-11T22:14:15+02:60", "none"},
      {"2003-10-11T22:14:15+2", "none"},
      {"2003-1-11T22:14:15Z", "none"},
      {"20031011T221415Z", "none"},
  };
  for (const Case& c : cases) EXPECT_EQ(time(c.frame), c.want) << c.frame;
  EXPECT_EQ(time("2003-10-11T22:14:15"), "2003-10-11T22:14:15");
  EXPECT_EQ(time("2003-10-11T22:14:15.25", "Europe/Berlin"), "2003-10-11T20:14:15.250000");
  EXPECT_EQ(time("2003-01-11T22:14:15", "Europe/Berlin"), "2003-01-11T21:14:15");
  EXPECT_EQ(time("2003-01-11T22:14:15Z", "Europe/Berlin"), "2003-01-11T22:14:15");
}

TEST(SyslogMessage, ADateWithoutYearIsTheOneNearestToNowAndNotAhead) {
  struct Year {
    std::string_view now, date, zone, want;
  };
  const std::vector<Year> cases{
      {"2023-10-10T12:00:00Z", "Oct 10 12:00:01", "", "2023-10-10T12:00:01"},
      {"2024-01-01T00:00:30Z", "Dec 31 23:59:59", "", "2023-12-31T23:59:59"},
      {"2023-12-31T23:59:59Z", "Jan  1 00:00:01", "", "2024-01-01T00:00:01"},
      {"2023-07-02T12:00:00Z", "Jan  1 00:00:00", "", "2023-01-01T00:00:00"},
      {"2023-12-20T12:00:00Z", "Jan  1 00:00:00", "", "2023-01-01T00:00:00"},
      {"2023-10-10T12:00:00Z", "Oct 11 12:00:00", "", "2023-10-11T12:00:00"},
      {"2023-10-10T12:00:00Z", "Oct 11 12:00:01", "", "2022-10-11T12:00:01"},
      {"2023-07-02T11:00:00Z", "Jan  1 00:00:00", "", "2023-01-01T00:00:00"},
      {"2023-10-10T12:00:00Z", "Feb 29 12:00:00", "", "2020-02-29T12:00:00"},
      {"2024-03-01T12:00:00Z", "Feb 29 12:00:00", "", "2024-02-29T12:00:00"},
      {"2025-10-10T12:00:00Z", "Feb 29 12:00:00", "", "2024-02-29T12:00:00"},
      {"2026-10-10T12:00:00Z", "Feb 29 12:00:00", "", "2024-02-29T12:00:00"},
      {"2101-10-10T12:00:00Z", "Feb 29 12:00:00", "", "2096-02-29T12:00:00"},
      {"1999-12-31T23:30:00Z", "Jan  1 00:30:00", "+01:00", "1999-12-31T23:30:00"},
      {"2000-01-01T04:30:00Z", "Dec 31 23:30:00", "America/New_York", "2000-01-01T04:30:00"},
      {"2023-07-10T12:00:00Z", "Jul 10 14:00:00", "Europe/Berlin", "2023-07-10T12:00:00"},
      {"2023-01-10T12:00:00Z", "Jan 10 13:00:00", "Europe/Berlin", "2023-01-10T12:00:00"},
  };
  for (const Year& c : cases) {
    const std::int64_t now_us = *model::parse_instant(c.now, {}) * 1000;
    const std::string out = parsed("<13>" + std::string(c.date) + " h a: x", *model::TimeZone::find(c.zone), now_us);
    EXPECT_EQ(out, "h a user.5 " + std::string(c.want) + " 'x'") << c.now << " " << c.date;
  }
}

TEST(SyslogMessage, WhatNoColumnHoldsIsRefused) {
  const std::string host(message::kCellBytesMax + 1, 'h');
  EXPECT_EQ(parsed("<13>1 - " + host + " a - - - x"), "too_long");
  EXPECT_EQ(parsed("<13>" + std::string(message::kTextBytesMax + 1, 'x')), "too_long");
}

// One parser for many messages: nothing of one is left in the next.
TEST(SyslogMessage, NothingIsLeftOfTheMessageBefore) {
  message::Batch batch;
  message::Builder builder(batch);
  Parser parser;
  const Context context{kNowUs, {}, "s"};
  ASSERT_FALSE(parser.parse("<13>1 - h a 7 m [i x=\"1\\\\\"] t", context, builder));
  ASSERT_TRUE(parser.parse("<13>1 - " + std::string(message::kCellBytesMax + 1, 'h') + " a 1 m [i x=\"1\"] x", context,
                           builder));
  ASSERT_FALSE(parser.parse("<13>1 - - - - - [j y=\"2", context, builder));
  ASSERT_FALSE(parser.parse("<13>x", context, builder));
  ASSERT_EQ(batch.rows(), 3U);
  const std::byte* at = batch.bytes().data();
  EXPECT_EQ(told({at}), "h a(7) user.5 2023-10-10T12:00:00 {i.x=1\\ msgid=m} 't'");
  at += message::RowView{at}.bytes();
  EXPECT_EQ(told({at}), "s UNKNOWN user.5 2023-10-10T12:00:00 '[j y=\"2'");
  at += message::RowView{at}.bytes();
  EXPECT_EQ(told({at}), "s UNKNOWN user.5 2023-10-10T12:00:00 'x'");
}

}  // namespace
}  // namespace varve::protocol::syslog
