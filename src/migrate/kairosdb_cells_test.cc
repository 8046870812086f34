// SPDX-License-Identifier: Apache-2.0
#include "migrate/kairosdb_cells.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <limits>

#include "codec/compression.h"

namespace varve::migrate {
namespace {

// Hexadecimal digits; what stands in 'quotes' is itself.
std::string cell_bytes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (text[i] == '\'') {
      const std::size_t end = text.find('\'', i + 1);
      out += text.substr(i + 1, end - i - 1);
      i = end;
    } else {
      out += static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16));
      ++i;
    }
  }
  return out;
}

// "metric time type tags", or the error.
std::string key(std::string_view text) {
  const std::string stored = cell_bytes(text);
  const auto key = parse_key(stored);
  if (!key) return key.error().message;
  const auto tags = parse_tags(key->tags);
  if (!tags) return tags.error().message;
  std::string out = std::string(key->metric) + ' ' + std::to_string(key->row_time_ms) + ' ' +
                    std::to_string(static_cast<int>(key->type)) + ':' + std::string(key->type_name);
  for (const auto& [name, value] : *tags) out.append(" [").append(name).append("]=[").append(value).append("]");
  if (key->type != DataType::other) {
    EXPECT_EQ(key_with_type(*key, key->type), stored);
  }
  return out;
}

std::string value(DataType type, std::string_view text, std::string_view column = "00000000",
                  Strings strings = Strings::plain) {
  std::string room;
  const auto value = decode_value(type, cell_bytes(column), cell_bytes(text), strings, room);
  if (!value) return value.error().message;
  if (value->type == model::ValueType::long_) return std::to_string(value->as_long());
  if (value->type == model::ValueType::double_) {
    char number[40];
    std::snprintf(number, sizeof number, "%.17gd", value->as_double());
    return number;
  }
  return '"' + std::string(value->text) + '"';
}

std::string at(const RowSpec& spec, std::int64_t row_time, std::string_view column) {
  const auto time = column_time(spec, row_time, cell_bytes(column));
  return time ? std::to_string(*time) : time.error().message;
}

TEST(KairosdbCells, Key) {
  EXPECT_EQ(key("'cpu' 00 0000018b6947e000 00 0b 'kairos_long' 'dc=x:host=a=:b:'"),
            "cpu 1698278400000 1:kairos_long [dc]=[x] [host]=[a:b]");
  EXPECT_EQ(key("'m' 00 0000000000000000 00 0d 'kairos_double' 'a=b:'"), "m 0 2:kairos_double [a]=[b]");
  EXPECT_EQ(key("'m' 00 ffffffffffffffff 00 0d 'kairos_string' 'a=b:'"), "m -1 3:kairos_string [a]=[b]");
  EXPECT_EQ(key("'m' 00 0000000000000000 00 0e 'kairos_complex' 'a=b:'"), "m 0 5:kairos_complex [a]=[b]");
  EXPECT_EQ(key("'m' 00 0000000000000000 00 13 'kairos_histogram_v2' 'a=b:'"), "m 0 7:kairos_histogram_v2 [a]=[b]");
  EXPECT_EQ(key("'m' 00 0000000000000000 00 08 'kairos_x' 'a=b:'"), "m 0 4:kairos_x [a]=[b]");
  EXPECT_EQ(key("'m' 00 0000000000000000 00 00 'a=b:'"), "m 0 4: [a]=[b]") << "a type without a name is not legacy";
  EXPECT_EQ(key("'myMetric' 00 0000000000000001 'a=b:'"), "myMetric 1 0: [a]=[b]") << "legacy";
  EXPECT_EQ(key("'m' 00 0000000000000000"), "m 0 0:") << "without tags";
  EXPECT_EQ(key("c3a9 00 0000000000000000 'a=' c3a9 ':'"), "é 0 0: [a]=[é]");
}

TEST(KairosdbCells, KeyThatIsNone) {
  EXPECT_EQ(key(""), "the key has no zero byte behind the metric");
  EXPECT_EQ(key("'cpu'"), "the key has no zero byte behind the metric");
  EXPECT_EQ(key("00 0000000000000000"), "the metric is empty");
  EXPECT_EQ(key("ff 00 0000000000000000"), "the metric is not UTF-8");
  EXPECT_EQ(key("'m' 00 00000000000000"), "the key ends in its row time");
  EXPECT_EQ(key("'m' 00 0000000000000000 00"), "the key ends in its data type");
  EXPECT_EQ(key("'m' 00 0000000000000000 00 05 'kair'"), "the key ends in its data type");
  EXPECT_EQ(key("'m' 00 0000000000000000 00 01 ff"), "the data type is not UTF-8");
  EXPECT_EQ(key("'m' 00 0000000000000000 'a=' ff ':'"), "the tags are not UTF-8");
}

TEST(KairosdbCells, Tags) {
  const auto tags = [](std::string_view text) {
    return key("'m' 00 0000000000000000 '" + std::string(text) + "'").substr(5);
  };
  EXPECT_EQ(tags("a=b:c=d:"), ": [a]=[b] [c]=[d]");
  EXPECT_EQ(tags("a:=a===b=:b=::"), ": [a=a]=[=b:b:]");
  EXPECT_EQ(tags("a::a=b=:b:"), ": [a:a]=[b:b]");
  EXPECT_EQ(tags("a:=a===b==:"), ": [a=a]=[=b=]");
  EXPECT_EQ(tags("a=:"), ": [a]=[]") << "what a tag may be is not decided here";
  EXPECT_EQ(tags("=b:"), ": []=[b]");
  for (const auto* cut : {"a", "a=", "a=b", "a:=b:", "a=b=:", "a=b:c", "a:", "a=b="}) {
    EXPECT_EQ(key("'m' 00 0000000000000000 '" + std::string(cut) + "'"), "the tags end in the middle") << cut;
  }
}

TEST(KairosdbCells, KeyWithAnotherType) {
  const std::string stored = cell_bytes("'cpu' 00 0000018b6947e000 00 0b 'kairos_long' 'dc=x:'");
  const auto parsed = parse_key(stored);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(key_with_type(*parsed, DataType::legacy), cell_bytes("'cpu' 00 0000018b6947e000 'dc=x:'"));
  EXPECT_EQ(key_with_type(*parsed, DataType::string),
            cell_bytes("'cpu' 00 0000018b6947e000 00 0d 'kairos_string' 'dc=x:'"));
}

TEST(KairosdbCells, Time) {
  const RowSpec legacy = *row_spec(std::nullopt), ms = *row_spec("MILLISECONDS"), s = *row_spec("SECONDS");
  EXPECT_EQ(at(legacy, 1698278400000, "cd3b1000"), "1700000000000");
  EXPECT_EQ(at(*row_spec("LEGACY"), 0, "d84b17fe"), "1814399999");
  EXPECT_EQ(at(legacy, 0, "d84b17ff"), "1814399999") << "the lowest bit is not a time";
  EXPECT_EQ(at(ms, 1698278400000, "669d8800"), "1700000000000");
  EXPECT_EQ(at(ms, 10, "ffffffff"), "9");
  EXPECT_EQ(at(ms, -2, "00000001"), "-1");
  EXPECT_EQ(at(s, 1000, "00000007"), "8000");
  EXPECT_EQ(at(s, 1000, "ffffffff"), "0");
  EXPECT_EQ(at(ms, 0, "000001"), "a column has 3 bytes, not 4");
  EXPECT_EQ(at(ms, 0, "0000000001"), "a column has 5 bytes, not 4");
  EXPECT_EQ(at(ms, model::kTimestampMax, "00000000"), std::to_string(model::kTimestampMax));
  for (const auto row :
       {model::kTimestampMax, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_EQ(at(s, row, "00000001"), "the time is beyond 2^53 ms") << row;
  }
  EXPECT_FALSE(row_spec("MINUTES"));
  EXPECT_FALSE(row_spec(""));
}

TEST(KairosdbCells, Long) {
  const auto read = [](std::string_view text) { return value(DataType::long_, text); };
  EXPECT_EQ(read("00"), "0");
  EXPECT_EQ(read("01"), "-1");
  EXPECT_EQ(read("02"), "1");
  EXPECT_EQ(read("7e"), "63");
  EXPECT_EQ(read("7f"), "-64");
  EXPECT_EQ(read("8001"), "64");
  EXPECT_EQ(read("8101"), "-65");
  EXPECT_EQ(read("d804"), "300");
  EXPECT_EQ(read("feffffffffffffffff01"), "9223372036854775807");
  EXPECT_EQ(read("ffffffffffffffffff01"), "-9223372036854775808");
  for (const auto* bad : {"", "80", "0000", "ffffffffffffffffff02", "ffffffffffffffffffff01"}) {
    EXPECT_EQ(read(bad), "the value is not a packed long") << bad;
  }
}

TEST(KairosdbCells, Double) {
  const auto read = [](std::string_view text) { return value(DataType::double_, text); };
  EXPECT_EQ(read("404e19999999999a"), "60.200000000000003d");
  EXPECT_EQ(read("8000000000000000"), "-0d");
  EXPECT_EQ(read("7ff0000000000000"), "infd");
  EXPECT_EQ(read("404e199999999999"), "60.199999999999996d");
  EXPECT_EQ(read("404e19999999999a00"), "a double has 9 bytes, not 8");
  EXPECT_EQ(read(""), "a double has 0 bytes, not 8");
}

TEST(KairosdbCells, Legacy) {
  const auto read = [](std::string_view column, std::string_view text) {
    return value(DataType::legacy, text, column);
  };
  EXPECT_EQ(read("00000000", ""), "0");
  EXPECT_EQ(read("00000002", "01"), "1");
  EXPECT_EQ(read("00000002", "ff"), "255");
  EXPECT_EQ(read("00000002", "012c"), "300");
  EXPECT_EQ(read("00000002", "ffffffffffffffff"), "-1");
  EXPECT_EQ(read("00000002", "010000000000000000"), "an old integer has 9 bytes");
  EXPECT_EQ(read("00000001", "013fc00000"), "1.5d");
  EXPECT_EQ(read("00000001", "023ff8000000000000"), "1.5d");
  EXPECT_EQ(read("00000001", "003ff8000000000000"), "1.5d");
  for (const auto* bad : {"", "01", "02", "023fc00000", "013ff8000000000000"}) {
    EXPECT_TRUE(read("00000001", bad).starts_with("an old float or double has ")) << bad;
  }
}

TEST(KairosdbCells, String) {
  const auto read = [](std::string_view text) { return value(DataType::string, text); };
  EXPECT_EQ(read("0000"), "\"\"");
  EXPECT_EQ(read("0005 'hello'"), "\"hello\"");
  EXPECT_EQ(read("0002 c3a9"), "\"é\"");
  EXPECT_EQ(read("0003 e282ac"), "\"€\"");
  EXPECT_EQ(read("0002 c080"), std::string("\"\0\"", 3));
  EXPECT_EQ(read("0006 eda0bd edb880"), "\"😀\"");
  EXPECT_EQ(read("0100" + std::string(512, '6')), "\"" + std::string(256, 'f') + "\"");
  for (const auto* bad : {"", "00", "0001", "0005 'hell'", "0005 'helloo'"}) {
    EXPECT_EQ(read(bad), "a string is not as long as it says") << bad;
  }
  for (const auto* bad : {"0001 00", "0001 80", "0001 c3", "0002 c381", "0002 c141", "0003 eda0bd", "0003 edb880",
                          "0006 eda0bd e282ac", "0004 f09f9880", "0003 e08080"}) {
    const bool is_good = std::string_view(bad) == "0002 c381";  // a neighbour that is fine
    EXPECT_EQ(read(bad).starts_with("a string is not modified UTF-8"), !is_good) << bad;
  }
}

TEST(KairosdbCells, SnappyString) {
  const auto read = [](std::string_view text) { return value(DataType::string, text, "00000000", Strings::snappy); };
  EXPECT_EQ(read("0007 05 10 'hello'"), "\"hello\"");
  EXPECT_EQ(read("0005 'hello'"), "\"hello\"") << "from before";
  EXPECT_EQ(read("0000"), "\"\"");
  EXPECT_EQ(value(DataType::string, "0007 05 10 'hello'"), "\"\x05\x10hello\"") << "without the option it is text";
  EXPECT_EQ(read("0003 01 00 ff"), "a string is neither snappy's nor UTF-8");
}

TEST(KairosdbCells, OtherTypes) { EXPECT_EQ(value(DataType::other, "00"), "this data type is not migrated"); }

TEST(KairosdbCells, Hex) {
  EXPECT_EQ(to_hex(std::string_view("\0a\xff", 3)), "0061ff");
  EXPECT_EQ(to_hex(std::string(300, 'a')).size(), 512 + std::string_view("…").size());
}

}  // namespace
}  // namespace varve::migrate
