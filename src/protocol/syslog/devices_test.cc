// SPDX-License-Identifier: Apache-2.0
// What network devices send, as a table (testdata/devices.txt), and what only looks like it.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "protocol/syslog/testing/told.h"

namespace varve::protocol::syslog {
namespace {

TEST(SyslogDevices, AreUnderstoodAsTheirVendorsDocumentThem) {
  std::ifstream file(VARVE_SOURCE_DIR "/syslog/testdata/devices.txt");
  std::size_t shapes = 0;
  for (std::string line, frame; std::getline(file, line);) {
    if (line.starts_with('<')) frame = line;
    if (!line.starts_with("= ")) continue;
    EXPECT_EQ(parsed(frame), line.substr(2)) << frame;
    ++shapes;
  }
  EXPECT_GE(shapes, 48U);
}

TEST(SyslogDevices, ATagHasALetter) {
  const std::vector<Case> cases{
      {"<13>29: text", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 '29: text'"},
      {"<13>29[7]: text", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 '29[7]: text'"},
      {"<13>10:11:12: text", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 '10:11:12: text'"},
      {"<13>Oct  3 10:11:12 h1 29: text", "h1 UNKNOWN user.5 2023-10-03T10:11:12 '29: text'"},
      {"<13>Oct  3 10:11:12 h1 \xC3\xA9: text", "h1 \xC3\xA9 user.5 2023-10-03T10:11:12 'text'"},
  };
  for (const Case& c : cases) EXPECT_EQ(parsed(c.frame), c.want) << c.frame;
}

TEST(SyslogDevices, WhatOnlyLooksLikeTheirHeaderIsText) {
  const std::vector<Case> cases{
      // A program's text may begin with a date, too.
      {"<13>su: Oct  3 10:11:12: x", "192.0.2.7 su user.5 2023-10-10T12:00:00 'Oct  3 10:11:12: x'"},
      {"<13>su: 2023-10-03 10:11:12 h x: y", "192.0.2.7 su user.5 2023-10-10T12:00:00 '2023-10-03 10:11:12 h x: y'"},
      {"<13>: text", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 ': text'"},
      {"<13>29: 30: text", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 '29: 30: text'"},
      {"<13>a/b:Oct x", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 'a/b:Oct x'"},
      {"<13>3w4d: text", "192.0.2.7 3w4d user.5 2023-10-10T12:00:00 'text'"},
      // An application's line has a date and a level, and no host.
      {"<13>2023-10-03 10:11:12 INFO main: x", "192.0.2.7 UNKNOWN user.5 2023-10-03T10:11:12 'INFO main: x'"},
      {"<13>2023-10-03 10:11:12 some text", "192.0.2.7 UNKNOWN user.5 2023-10-03T10:11:12 'some text'"},
      {"<13>2023-10-03 10:11:12,123 x", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 '2023-10-03 10:11:12,123 x'"},
      // Names of programs and hosts that could be zones.
      {"<13>Oct  3 10:11:12 CRON: text", "192.0.2.7 CRON user.5 2023-10-03T10:11:12 'text'"},
      {"<13>Oct  3 10:11:12 FW su: text", "FW su user.5 2023-10-03T10:11:12 'text'"},
      // No mnemonics.
      {"<13>%LINK-8-UPDOWN: x", "192.0.2.7 %LINK-8-UPDOWN user.5 2023-10-10T12:00:00 'x'"},
      {"<13>%LINK-3-: x", "192.0.2.7 %LINK-3- user.5 2023-10-10T12:00:00 'x'"},
      {"<13>%-3-UPDOWN: x", "192.0.2.7 %-3-UPDOWN user.5 2023-10-10T12:00:00 'x'"},
      {"<13>%LINK-3-UPDOWN x", "192.0.2.7 UNKNOWN user.5 2023-10-10T12:00:00 '%LINK-3-UPDOWN x'"},
      // Commas.
      {"<13>Oct  3 10:11:12 a,b c: x", "192.0.2.7 UNKNOWN user.5 2023-10-03T10:11:12 'a,b c: x'"},
      {"<13>Oct  3 10:11:12 a,b,c text", "192.0.2.7 UNKNOWN user.5 2023-10-03T10:11:12 'a,b,c text'"},
      {"<13>Oct  3 10:11:12 a,,c x: y", "192.0.2.7 UNKNOWN user.5 2023-10-03T10:11:12 'a,,c x: y'"},
  };
  for (const Case& c : cases) EXPECT_EQ(parsed(c.frame), c.want) << c.frame;
}

TEST(SyslogDevices, ZonesByNameAreThemselvesOrTheListeners) {
  const auto kolkata = *model::TimeZone::find("+05:30");
  EXPECT_EQ(parsed("<189>1: Oct  3 10:11:12 UTC: %A-1-B: x", kolkata),
            "192.0.2.7 A local7.5 2023-10-03T10:11:12 {mnemonic=B} #1 'x'");
  EXPECT_EQ(parsed("<189>1: Oct  3 10:11:12 JST: %A-1-B: x", kolkata),
            "192.0.2.7 A local7.5 2023-10-03T01:11:12 {mnemonic=B} #1 'x'");
  EXPECT_EQ(parsed("<189>1: Oct  3 10:11:12 IST: %A-1-B: x", kolkata),
            "192.0.2.7 A local7.5 2023-10-03T04:41:12 {mnemonic=B} #1 'x'");
  EXPECT_EQ(parsed("<13>Oct  3 10:11:12 IST 2022 h x: y", kolkata), "h x user.5 2022-10-03T04:41:12 'y'");
  EXPECT_EQ(parsed("<13>2023-10-03 10:11:12+02:00 h x: y", kolkata), "h x user.5 2023-10-03T08:11:12 'y'");
  EXPECT_EQ(parsed("<13>2023-10-03 10:11:12 h x: y", kolkata), "h x user.5 2023-10-03T04:41:12 'y'");
}

// A blank that stands in rsyslog's template for what RFC 3164 has before the text.
TEST(SyslogDevices, OneBlankBeforeTheTextOfRfc5424IsNone) {
  EXPECT_EQ(parsed("<13>1 2023-10-03T10:11:12Z h su 42 - -  text"), "h su(42) user.5 2023-10-03T10:11:12 'text'");
  EXPECT_EQ(parsed("<13>1 2023-10-03T10:11:12Z h su 42 - -   text"), "h su(42) user.5 2023-10-03T10:11:12 ' text'");
}

}  // namespace
}  // namespace varve::protocol::syslog
