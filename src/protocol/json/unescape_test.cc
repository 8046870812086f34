// SPDX-License-Identifier: Apache-2.0
#include "protocol/json/unescape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "protocol/json/reader.h"
#include "protocol/json/text.h"

namespace varve::protocol::json {
namespace {

// The string whose bytes behind the opening quote are these; "!": none.
std::string undone(std::string_view json, char padding = '"') {
  const std::string bytes = std::string(json) + std::string(kUnescapeSlack, padding);
  std::string room(json.size() + kUnescapeSlack, '\0');
  char* out = room.data();
  const char* const end = unescape(bytes.data(), bytes.data() + json.size(), out);
  if (end == nullptr) return "!";
  EXPECT_EQ(end[-1], '"');
  room.resize(static_cast<std::size_t>(out - room.data()));
  return room + std::string(bytes.data() + json.size() - end, '>');
}

TEST(Unescape, Cases) {
  for (const auto& [json, want] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"(")", ""},
           {R"(abc")", "abc"},
           {R"(a"b")", "a>>"},
           {R"(\"\\\/\b\f\n\r\t")", "\"\\/\b\f\n\r\t"},
           {R"(\u0041\u00e9\u20AC")", "Aé€"},
           {R"(\ud83d\ude00")", "😀"},
           {R"(\ud83d")", "!"},
           {R"(\ude00x")", "!"},
           {R"(\ud83d\u0041")", "!"},
           {R"(\ud83d\ud83d\ude00")", "!"},
           {"\xff\\n\x80\"", "\xff\n\x80"},
           {R"(a)", "!"},
           {R"()", "!"},
           {R"(\")", "!"},
           {R"(\)", "!"},
           {R"(\x")", "!"},
           {R"(\u12g4")", "!"},
           {R"(\u123")", "!"},
           {R"(\ud83d\u12")", "!"},
           {"a\nb\"", "!"},
           {"\x1f\"", "!"},
       }) {
    EXPECT_EQ(undone(json), want) << json;
    EXPECT_EQ(undone(json, '0'), want) << json;
  }
  EXPECT_EQ(undone(std::string_view("\\u0000\"", 7)), std::string(1, '\0'));
  EXPECT_EQ(undone(std::string_view("\0\"", 2)), "!");
}

TEST(Unescape, IsWhatTheReaderSays) {
  std::mt19937 random(1);
  const std::string_view pieces[] = {"a",       "bcdefghijklmnopqrstuvwxyz",
                                     "\\n",     "\\\"",
                                     "\\u00e9", "\\ud83d",
                                     "\\ude00", "\xc3\xa9",
                                     "\\\\",    " ",
                                     "\\u",     "\x01",
                                     "\\x",     "12"};
  for (int round = 0; round < 20000; ++round) {
    std::string json;
    for (unsigned i = random() % 12; i > 0; --i) json += pieces[random() % (random() % 8 == 0 ? 14 : 10)];
    json += '"';
    const std::string quoted = '"' + json;
    Reader reader(quoted);
    reader.set_strict();
    const Element want = reader.value();
    ASSERT_EQ(undone(json), reader.failed() ? "!" : std::string(want.text)) << json;
  }
}

TEST(Text, AStringStopsAtTheFirstByteThatCannotStand) {
  for (std::size_t before = 0; before < 70; ++before) {
    for (int c = 0; c < 256; ++c) {
      const std::string bytes = std::string(before, '\xff') + static_cast<char>(c) + std::string(70, 'x');
      const bool stops = c < 0x20 || c == '"' || c == '\\';
      const char* const end = bytes.data() + before + 1;
      const char* const stop = find_string_stop(bytes.data(), end);
      ASSERT_EQ(stops ? stop + 1 : std::min(stop, end), end) << before << " " << c;
    }
  }
}

}  // namespace
}  // namespace varve::protocol::json
