// SPDX-License-Identifier: Apache-2.0
// The format does not change by accident: blocks once written are read for ever, and small ones are known by heart.
#include "base/bytes.h"
#include "chunk/round_trip.h"

namespace varve::chunk {
namespace {

std::string hex(const std::vector<std::byte>& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte b : bytes) {
    text += kDigits[static_cast<unsigned>(b) >> 4];
    text += kDigits[static_cast<unsigned>(b) & 15];
  }
  return text;
}

std::vector<std::byte> from_hex(std::string_view text) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

struct Golden {
  const char* name;
  std::vector<OwnGroup> groups;
  const char* bytes;
};

OwnGroup grid() {
  std::vector<model::Timestamp> jitter;
  std::vector<std::int64_t> walk;
  for (std::int64_t i = 0; i < 64; ++i) {
    jitter.push_back(1'700'000'000'000 + i * 15'000 + (i > 40 ? 30'000 : 0) + i * i * i * 7919 % 97 % 10);
    walk.push_back(1000 + i * i * 7919 % 640);
  }
  return {3, jitter, {longs(walk)}};
}

TEST(Golden, BytesOfSmallBlocks) {
  using model::Value;
  const Golden cases[] = {
      {"longs",
       {{7, {1000, 2000, 3000, 4000}, {longs({3, 3, 3, 4})}}},
       "7676626b302b0d460101040010000200000000011f001f070104d00fb8170000d00f00060000020202"},
      {"typed",
       {{1, {-5, 0, 7}, {decimals(2, {150, 250, 350}), strings({"up", "", "up"})}},
        {9,
         {-5, 0, 7},
         {typed({Value::of_long(-1), Value::of_double(0.5), Value::of_string("x")}),
          doubles({std::bit_cast<double>(0x7ff8000000000001), -0.0, 3.141592653589793})}}},
       "7676626b95a7903a010211003200150000060011040004000114211f040f00051f000f110f040f0380010203090c0000"
       "0cac0200c80100000002020408020200020001010100000a0000000000010201b2b4a1c4eafe90898001130102c3cbde"
       "bb9581efee7fa2b4a1c4eafe90898001020075700178ff000102"},
      {"complex numbers and histograms",
       {{1, {1, 2, 3}, {typed({Value::of_complex("c1"), Value::of_complex("c2"), Value::of_complex("c1")})}},
        {2, {1, 2, 3}, {typed({Value::of_histogram("h"), Value::of_string("s"), Value{kErased, 0, {}}})}}},
       "7676626b7d34a29e01020d002a000400000a0000011f250f040f00351f040f040f010103020200000200080000000003"
       "0000000202060101000503020000010001000000010200000001020102010102026331633201730168"},
      {"staleness markers",
       {{5,
         {1000, 2000, 3000, 4000},
         {typed({Value::of_double(1.5), Value::of_stale_marker(), Value::of_double(1.5), Value::of_stale_marker()}),
          typed({Value::of_long(7), Value::of_stale_marker(), Value::of_string("x"), Value::of_stale_marker()}),
          typed(std::vector<Value>(4, Value::of_stale_marker()))}}},
       "7676626b110a6a2204010d001e00020000020000011f06110f26051f000f040f16050304d00fb8170000d00f00041e000002"
       "00040001000e0000000000010201010178"},
      {"grid",
       {grid()},
       "7676626b44eb4977020104001b0002002000a00481018001530205000903014080a0abfef9629bc13b987502000ad00f"
       "8e0504ff04a0a3012803fdf5f2f5f2f5f2f5020a0d0afdf5f2050dfaf2050dfaf2050dfa020afd050df50b663f3aebe2"
       "72bbf2abc208f17b3f95fbd1331b63eefb5bec88d8be6851a2266fe340a871b076093c69312c1e03fd30d008a5a98310"
       "cbb270305861f5c1b22c7c70d4c0f2181861dab3d0500e8260a1540e0a"},
  };
  for (const Golden& golden : cases) {
    SCOPED_TRACE(golden.name);
    EXPECT_EQ(hex(expect_round_trip(golden.groups)), golden.bytes);
  }
}

// Too long to be known by heart, but for its size and its checksum.
TEST(Golden, SplitBlock) {
  const auto bytes = expect_round_trip({long_group(1, 9000)});
  EXPECT_EQ(bytes.size(), 46'729U);
  EXPECT_EQ(load_le<std::uint32_t>(bytes.data() + 4), 3'317'414'805U);
}

// As it was written before there were Rice codes.
TEST(Golden, BlocksOfVersion1AreRead) {
  const auto block = reopen(
      from_hex("7676626b05c41ce8010104001b0002002000a00481018001660205000903014080a0abfef9629bc13b987502000ad00f"
               "8e0504ff04a0a3012803fdf5f2f5f2f5f2f5020a0d0afdf5f2050dfaf2050dfaf2050dfa020afd050df500000d030002"
               "4817116010d603f932f266f9e40e05938a0884028553b4fca1144bf3003ebed480392460887f268de48675f85f571231"
               "10a159dda8e4551224c726a6389448dbd44347674b5ef35be7e6ce73b6776cbd8ad7b9ed7e0cb11579352d51d97a4f00"));
  ASSERT_NE(block, nullptr);
  expect_block({grid()}, *block);
}

}  // namespace
}  // namespace varve::chunk
