// SPDX-License-Identifier: Apache-2.0
// Random messages, most of them damaged: both ways give the same.
#include <gtest/gtest.h>

#include <random>

#include "base/testing/effort.h"
#include "protocol/messages/keys.h"
#include "protocol/messages/messages_text.h"
#include "protocol/testing/damage.h"

namespace varve::protocol::messages {
namespace {

constexpr std::string_view kSomeKeys[] = {
    "time",  "source", "module",      "type",        "node_type", "instance", "category",   "ip",          "level",
    "kind",  "pid",    "sequence",    "objects",     "text",      "id",       "MessageTS",  "Source",      "ModuleId",
    "Level", "Pid",    "SequenceNum", "Messagetype", "IPAddress", "NodeType", "Xmlmessage", "ObjectName",  "InstanceId",
    "f",     "g",      "a.b",         "Sources",     "",          "trace_id", "\\u0061",    "Messagetypes"};
constexpr std::string_view kSomeValues[] = {
    "1",
    "0",
    "-1",
    "1700000000000000",
    "1.5",
    "1e3",
    "\"a\"",
    "\"\"",
    "null",
    "true",
    "false",
    "[]",
    "[\"a:b\"]",
    "[\"a:b\",\"c\\n:d\"]",
    "[\"a:b\" , \"a:b\"]",
    "{\"b\":1}",
    "{\"b\":{\"c\":[1,{}]},\"d\":null}",
    "\"info\"",
    "\"Error\"",
    "\"uve\"",
    "\"12\"",
    "\"2026-11-24T13:19:27.123456789Z\"",
    "\"123e4567-e89b-12d3-a456-426614174000\"",
    "\"a:b\"",
    "\"say \\\"hello\\\" to \\\\ and \\u00e9 \\ud83d\\ude00 \\ud83d, which is longer than 32 bytes\"",
    "\"caf\xc3\xa9 \xff\"",
    "\"<a><b key=\\\"T\\\">x</b></a>\"",
    "\"<a key='T'>x\""};

class RandomBody {
 public:
  std::string operator()() {
    const bool array = random_() % 8 == 0;
    std::string body = array ? "[" : "";
    for (unsigned i = 0, count = random_() % 5; i < count; ++i) {
      body += object();
      if (array && i + 1 < count) body += ',';
      body += array ? one_of({"", " ", "\n"}) : one_of({"\n", "\r\n", "\n\n", " \n"});
    }
    if (array) body += "]";
    if (body.empty()) body = " ";
    return random_() % 2 == 0 ? body : testing::damaged(body, random_);
  }

 private:
  std::string_view one_of(std::initializer_list<std::string_view> of) { return of.begin()[random_() % of.size()]; }

  std::string object() {
    const auto blank = [&] { return random_() % 16 == 0 ? one_of({" ", "\t", "  "}) : ""; };
    std::string out = "{";
    for (unsigned i = 0, count = random_() % 9; i < count; ++i) {
      if (i > 0) out.append(",").append(blank());
      out.append("\"").append(kSomeKeys[random_() % std::size(kSomeKeys)]).append("\"").append(blank()).append(":");
      out.append(blank()).append(kSomeValues[random_() % std::size(kSomeValues)]).append(blank());
    }
    return out + "}";
  }

  std::mt19937 random_{5};
};

TEST(MessageWays, GiveTheSame) {
  RandomBody random;
  Options options;
  options.now_us = 7;
  options.limits = {-5, 1'800'000'000'000'000, "old", "new"};
  for (int round = 0; round < varve::testing::effort(30'000); ++round) {
    const std::string body = random();
    options.names_in_xml = round % 3 == 0;
    options.precision = static_cast<Precision>(round % 4);
    ASSERT_EQ(parsed(body, options, Way::fast, "\n }\"0"[round % 5]), parsed(body, options, Way::general, ' ')) << body;
  }
}

TEST(MessageKeys, AreThoseOfTheColumns) {
  const auto find = [](std::string key) {
    const std::size_t size = key.size();
    key.append(KeyTable::kKeyMax, '"');
    return kKeyTable.find(key.data(), size);
  };
  const auto want = [](std::string_view key) {
    const auto* const column = message::column_of(key);
    return column == nullptr ? message::Column::field : column->column;
  };
  for (const auto& of : message::kColumnNames) {
    for (const std::string& name : {std::string(of.key), std::string(of.contrail)}) {
      EXPECT_EQ(find(name), want(name)) << name;
      for (std::size_t i = 0; i < name.size(); ++i) {
        std::string other = name;
        other[i] = static_cast<char>(other[i] ^ 0x20);
        EXPECT_EQ(find(other), want(other)) << other;
        EXPECT_EQ(find(name.substr(0, i)), want(name.substr(0, i))) << name << i;
        EXPECT_EQ(find(name + name.substr(0, i)), want(name + name.substr(0, i))) << name << i;
      }
    }
  }
  EXPECT_EQ(find(std::string(16, 'a')), message::Column::field);
  EXPECT_EQ(find(std::string(5000, 'a')), message::Column::field);
}

}  // namespace
}  // namespace varve::protocol::messages
