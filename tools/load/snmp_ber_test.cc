// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tools/load/snmp_message.h"

namespace varve::load {
namespace {

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const auto byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::vector<std::uint8_t> bytes_of(std::string_view text) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

TEST(Ber, Numbers) {
  const struct {
    std::int64_t value;
    const char* bytes;
  } cases[] = {{0, "020100"},
               {1, "020101"},
               {127, "02017f"},
               {128, "02020080"},
               {256, "02020100"},
               {-1, "0201ff"},
               {-128, "020180"},
               {-129, "0202ff7f"},
               {32767, "02027fff"},
               {32768, "0203008000"},
               {INT64_MIN, "02088000000000000000"}};
  for (const auto& [value, bytes] : cases) {
    BerWriter out;
    out.signed_number(BerTag::integer, value);
    EXPECT_EQ(hex(out.bytes()), bytes);
    std::int64_t back = 7;
    EXPECT_TRUE(BerReader(out.bytes()).integer(back));
    EXPECT_EQ(back, value);
  }
  BerWriter out;
  out.unsigned_number(BerTag::counter32, 4294967295);
  out.unsigned_number(BerTag::counter64, UINT64_MAX);
  out.unsigned_number(BerTag::counter64, 0);
  out.unsigned_number(BerTag::ticks, 255);
  EXPECT_EQ(hex(out.bytes()),
            "410500ffffffff"
            "460900ffffffffffffffff"
            "460100"
            "430200ff");
}

TEST(Ber, Objects) {
  const struct {
    Oid oid;
    const char* bytes;
  } cases[] = {{{1, 3, 6, 1, 2, 1, 1, 3, 0}, "06082b06010201010300"},
               {{1, 3, 6, 1, 4, 1, 2636}, "06072b060104019 44c"},
               {{1, 3, 128, 16383, 16384, 4294967295}, "060d2b8100ff7f8180008fffffff7f"},
               {{2, 999, 3}, "0603883703"},
               {{0, 0}, "060100"}};
  for (const auto& [oid, spaced] : cases) {
    std::string bytes(spaced);
    std::erase(bytes, ' ');
    BerWriter out;
    out.object(oid);
    EXPECT_EQ(hex(out.bytes()), bytes);
    Oid back;
    ASSERT_TRUE(BerReader(out.bytes()).object(back));
    EXPECT_EQ(std::vector(back.view().begin(), back.view().end()), std::vector(oid.view().begin(), oid.view().end()));
  }
}

TEST(Ber, LengthsAsShortAsCanBe) {
  for (const auto& [size, head] : {std::pair<std::size_t, std::string>{127, "047f"},
                                   {128, "048180"},
                                   {255, "0481ff"},
                                   {256, "04820100"},
                                   {60'000, "0482ea60"}}) {
    BerWriter out;
    out.octets(std::string(size, 'a'));
    EXPECT_EQ(hex(out.bytes()).substr(0, head.size()), head);
    std::string_view back;
    ASSERT_TRUE(BerReader(out.bytes()).octets(back));
    EXPECT_EQ(back.size(), size);
  }
}

TEST(Ber, WhatIsNoElement) {
  for (const char* bytes :
       {"", "02", "0200", "0202ff", "0209000000000000000000", "028001", "0285000000000101", "0401"}) {
    const auto raw = bytes_of(bytes);
    std::int64_t value = 0;
    EXPECT_FALSE(BerReader(raw).integer(value)) << bytes;
  }
  for (const char* bytes : {"0600", "06022b81", "06062b9080808000", "0401ff"}) {
    const auto raw = bytes_of(bytes);
    Oid oid;
    EXPECT_FALSE(BerReader(raw).object(oid)) << bytes;
  }
  BerWriter many;
  const auto at = many.open(BerTag::object);
  const std::vector<std::uint32_t> parts(Oid::kPartsMax + 1, 1);
  many.parts(parts);
  many.close(at);
  Oid oid;
  EXPECT_FALSE(BerReader(many.bytes()).object(oid));
}

// What Debian's snmpget, snmpbulkget -Cn1 -Cr10, snmpgetnext -v1 and snmpset send.
constexpr const char* kGet = "302902010104067075626c6963a01c020461bc2f4a020100020100300e300c06082b060102010103000500";
constexpr const char* kBulk =
    "303802010104067075626c6963a52b0204240e1bc602010102010a301d300b06072b0601020101030500300e060a2b060102011f01010106"
    "0500";
constexpr const char* kNextV1 =
    "302902010004067075626c6963a11c02044543b438020100020100300e300c06082b06010401944c030500";
constexpr const char* kSet = "302a02010104067075626c6963a31d02043eaf1285020100020100300f300d06082b06010201010400040178";

TEST(SnmpMessage, RequestsAsRealClientsSendThem) {
  SnmpRequest request;
  const auto get = bytes_of(kGet);
  ASSERT_TRUE(parse_snmp(get, request));
  EXPECT_EQ(request.version, SnmpVersion::v2c);
  EXPECT_EQ(request.community, "public");
  EXPECT_EQ(request.kind, BerTag::get);
  EXPECT_EQ(request.id, 0x61bc2f4a);
  ASSERT_EQ(request.names.size(), 1U);
  EXPECT_EQ(request.names[0].size, 9U);

  const auto bulk = bytes_of(kBulk);
  ASSERT_TRUE(parse_snmp(bulk, request));
  EXPECT_EQ(request.kind, BerTag::get_bulk);
  EXPECT_EQ(request.non_repeaters, 1U);
  EXPECT_EQ(request.repetitions, 10U);
  ASSERT_EQ(request.names.size(), 2U);
  EXPECT_EQ(request.names[1].parts[10], 6U);

  ASSERT_TRUE(parse_snmp(bytes_of(kNextV1), request));
  EXPECT_EQ(request.version, SnmpVersion::v1);
  EXPECT_EQ(request.names[0].parts[6], 2636U);
  EXPECT_FALSE(parse_snmp(bytes_of(kSet), request)) << "it is not answered";
}

TEST(SnmpMessage, NothingOfAPartOfIt) {
  const auto whole = bytes_of(kBulk);
  SnmpRequest request;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(parse_snmp(std::span(whole).first(size), request)) << size;
  }
}

TEST(SnmpMessage, AnAnswersFrame) {
  BerWriter out;
  SnmpAnswer frame(out);
  frame.begin(1, "public", BerTag::response, 0x61bc2f4a);
  const auto varbind = out.open(BerTag::sequence);
  out.object({1, 3, 6, 1, 2, 1, 1, 3, 0});
  out.unsigned_number(BerTag::ticks, 1);
  out.close(varbind);
  frame.fail(SnmpError::general, 1);
  frame.end();
  EXPECT_EQ(hex(out.bytes()),
            "302a02010104067075626c6963a21d020461bc2f4a020105020101300f300d06082b06010201010300430101");
}

}  // namespace
}  // namespace varve::load
