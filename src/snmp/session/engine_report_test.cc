// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/engine_report.h"

#include <gtest/gtest.h>

#include "snmp/session/testing/bytes.h"

namespace varve::snmp::session {
namespace {

using testing::bytes;

// message { version 3, header { id, size, flags, model }, octets { usm { engine, … } }, scoped { engine, name, pdu } }
std::string report(std::uint32_t id, std::string_view engine, char pdu = '\xa8') {
  const auto put = [](char tag, const std::string& content) {
    return std::string(1, tag) + static_cast<char>(content.size()) + content;
  };
  const auto number = [&](std::uint32_t n) {
    return put(
        2, {static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8), static_cast<char>(n)});
  };
  const std::string usm =
      put(0x30, put(4, std::string(engine)) + number(7) + number(99) + put(4, "") + put(4, "") + put(4, ""));
  const std::string scoped = put(4, std::string(engine)) + put(4, "") + put(pdu, number(id) + number(0) + number(0));
  return put(0x30, number(3) + put(0x30, number(id) + number(65507) + put(4, std::string(1, 0)) + number(3)) +
                       put(4, usm) + put(0x30, scoped));
}

TEST(EngineReportTest, TheEngineIdIsFound) {
  const std::string engine = bytes("80001f8880aabbccdd");
  EXPECT_EQ(engine_of_report(report(5, engine), 5), engine);
}

TEST(EngineReportTest, WhatAnswersSomethingElseIsNone) {
  const std::string engine = bytes("80001f8880aabbccdd");
  EXPECT_FALSE(engine_of_report(report(5, engine), 6));          // another probe's
  EXPECT_FALSE(engine_of_report(report(5, engine, '\xa2'), 5));  // a response
  EXPECT_FALSE(engine_of_report(report(5, ""), 5));              // no id
  EXPECT_FALSE(engine_of_report(report(5, "1234"), 5));          // too short a one
  EXPECT_FALSE(engine_of_report(report(5, std::string(33, 'x')), 5));
  EXPECT_FALSE(engine_of_report("", 5));
}

TEST(EngineReportTest, ACutReportIsNone) {
  const std::string whole = report(5, bytes("80001f8880aabbccdd"));
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(engine_of_report(whole.substr(0, size), 5));
}

TEST(EngineReportTest, TheProbeIsAMessageWithoutAUser) {
  // version 3; id, 65507, reportable, USM; engine "", boots 0, time 0, user "", ""; ""; get without names
  EXPECT_EQ(engine_probe(0x01020304),
            bytes("3051020400000003301502040102030402040000ffe3040104020400000003041630140400020400"
                  "000000020400000000040004000400301a04000400a0140204010203040204000000000204000000"
                  "003000"));
}

}  // namespace
}  // namespace varve::snmp::session
