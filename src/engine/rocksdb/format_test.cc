// SPDX-License-Identifier: Apache-2.0
// FORMAT in which something is wrong: a start names the file, what it should be and what to do; a repair writes it
// anew if the data fit.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/rocksdb/testing/damaged_store.h"
#include "engine/rocksdb/testing/said.h"

namespace varve::engine::rocksdb {
namespace {

namespace fs = std::filesystem;
using model::Value;
using testing::kHour;
using testing::kMinute;
using testing::kStart;

constexpr const char* kOfOldVersions = "varve 1\nslot_width_ms 3600000\n";

class FormatFile : public testing::DamagedStore {
 protected:
  static Options without_strata() {
    Options o = options();
    o.strata.clear();
    return o;
  }
  FormatFile() : DamagedStore(without_strata()) {
    const auto group = store.group({"m"});
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(store.put(*group, kStart + i * kHour + 40 * kMinute, {Value::of_long(i)}));
    settle();
    EXPECT_TRUE(store.put(*group, kStart + 5 * kHour, {Value::of_long(5)}));
    engine.close();
  }
  [[nodiscard]] fs::path format() { return path() / "FORMAT"; }
  std::string text() {
    std::ifstream in(format(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  void write(const std::string& text) { std::ofstream(format(), std::ios::binary) << text; }
  void expect_all(const std::string& when) { EXPECT_EQ(store.read("m").size(), 6U) << when; }
};

TEST_F(FormatFile, a_flipped_bit_is_named_and_repaired) {
  const std::string whole = text();
  ASSERT_TRUE(whole.starts_with(kOfOldVersions)) << whole;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    const std::size_t bit = at * 5 % 8;
    const std::string when = "bit " + std::to_string(bit) + " of byte " + std::to_string(at);
    std::string wrong = whole;
    wrong[at] = static_cast<char>(wrong[at] ^ static_cast<char>(1U << bit));
    write(wrong);
    const std::string refused = refusal();
    if (refused.empty()) {  // one blank for another
      expect_all(when);
      engine.close();
      continue;
    }
    EXPECT_NE(refused.find(format().string()), std::string::npos) << when << ": " << refused;
    EXPECT_NE(refused.find("slot_width_ms"), std::string::npos) << when << ": " << refused;
    EXPECT_NE(refused.find("3600000"), std::string::npos) << when << ": " << refused;
    EXPECT_NE(refused.find("storage.repair"), std::string::npos) << when << ": " << refused;
    EXPECT_EQ(text(), wrong) << "nothing has changed";
    testing::Said listening;
    ASSERT_EQ(refusal(true), "") << when;
    EXPECT_NE(listening.text().find("FORMAT was damaged and is written anew"), std::string::npos) << when;
    expect_all(when);
    engine.close();
    EXPECT_EQ(text(), whole) << when;
  }
}

TEST_F(FormatFile, one_of_an_older_version_gets_a_checksum) {
  const std::string whole = text();
  write(kOfOldVersions);
  ASSERT_EQ(refusal(), "");
  expect_all("as it was");
  engine.close();
  EXPECT_EQ(text(), whole);
}

TEST_F(FormatFile, without_a_checksum_a_wrong_number_may_be_damage) {
  for (const char* const wrong :
       {"varve 1\nslot_width_ms 3600004\n", "varve 3\nslot_width_ms 3600000\n", "", "varve 1\n"}) {
    write(wrong);
    const std::string refused = refusal();
    EXPECT_NE(refused.find(format().string()), std::string::npos) << refused;
    EXPECT_NE(refused.find("storage.repair"), std::string::npos) << refused;
    ASSERT_EQ(refusal(true), "") << wrong;
    expect_all(wrong);
    engine.close();
  }
}

TEST_F(FormatFile, it_is_not_written_for_data_that_do_not_fit) {
  for (const std::int64_t width : {30 * kMinute, 2 * kHour}) {
    write("varve 1\nslot_width_ms 36x0000\n");
    engine.options().slot_width_ms = width;
    const std::string refused = refusal(true);
    EXPECT_NE(refused.find("slots.width"), std::string::npos) << refused;
    EXPECT_EQ(text(), "varve 1\nslot_width_ms 36x0000\n");
  }
  engine.options().slot_width_ms = kHour;
  ASSERT_EQ(refusal(true), "");
  expect_all("with the right width");
}

// Nothing says that it is damaged.
TEST_F(FormatFile, another_width_is_no_damage) {
  engine.options().slot_width_ms = 30 * kMinute;
  for (const bool repair : {false, true}) {
    const std::string refused = refusal(repair);
    EXPECT_NE(refused.find("cannot be changed"), std::string::npos) << refused;
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
