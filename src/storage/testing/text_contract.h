// SPDX-License-Identifier: Apache-2.0
// The contract of a store of texts, as tests: every engine passes them. Include in one test file of an engine and write
//   INSTANTIATE_TEST_SUITE_P(Rocksdb, TextContract, ::testing::Values(MakeTexts(…)));
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <random>

#include "storage/text_store.h"

namespace varve::storage::testing {

// A store under test, empty when made.
class TextEngine {
 public:
  virtual ~TextEngine() = default;
  virtual TextStore& texts() = 0;
  virtual void restart() = 0;
};
using MakeTexts = std::function<std::unique_ptr<TextEngine>()>;

class TextContract : public ::testing::TestWithParam<MakeTexts> {
 protected:
  using Names = std::vector<std::string>;
  TextContract() : engine(GetParam()()) {}

  TextStore& texts() { return engine->texts(); }
  void put(const TextName& name, std::string_view text) {
    const Status status = texts().put_text(name, text);
    ASSERT_TRUE(status) << status.error().message;
  }
  // "(none)" where there is none.
  std::string get(const TextName& name) {
    const auto text = texts().text(name);
    if (!text) return text.error().message;
    return text->value_or("(none)");
  }
  Names keys(std::string_view tenant, std::string_view service, std::string_view service_key,
             std::string_view prefix = "") {
    return texts().text_keys(tenant, service, service_key, prefix).value_or(Names{"(failed)"});
  }
  // service key/key
  Names all(std::string_view tenant, std::string_view service) {
    Names out;
    const auto names = texts().text_names(tenant, service).value();
    for (const TextName& name : names) {
      EXPECT_EQ(name.tenant, tenant);
      EXPECT_EQ(name.service, service);
      out.push_back(name.service_key + "/" + name.key);
    }
    return out;
  }

  std::unique_ptr<TextEngine> engine;
};

TEST_P(TextContract, a_text_is_there_until_it_is_erased) {
  const TextName name{"t", "s", "k", "a"};
  EXPECT_EQ(get(name), "(none)");
  EXPECT_TRUE(texts().erase_text(name));
  put(name, "one");
  EXPECT_EQ(get(name), "one");
  put(name, "");
  EXPECT_EQ(get(name), "");
  put(name, "two");
  engine->restart();
  EXPECT_EQ(get(name), "two");
  EXPECT_TRUE(texts().erase_text(name));
  EXPECT_EQ(get(name), "(none)");
  EXPECT_EQ(keys("t", "s", "k"), Names{});
  engine->restart();
  EXPECT_EQ(get(name), "(none)");
  put(name, "three");
  EXPECT_EQ(get(name), "three");
}

TEST_P(TextContract, changes_are_made_together) {
  put({"t", "s", "k", "old"}, "x");
  std::vector<TextChange> changes = {{{"t", "s", "k", "old"}, std::nullopt}, {{"t", "s", "k", "none"}, std::nullopt}};
  for (int i = 0; i < 2500; ++i)
    changes.push_back({{"t", "many", "k", std::to_string(i)}, "text " + std::to_string(i)});
  changes.push_back({{"t", "s", "k", "empty"}, ""});
  ASSERT_TRUE(texts().change_texts(changes));
  engine->restart();
  EXPECT_EQ(keys("t", "s", "k"), Names{"empty"});
  EXPECT_EQ(get({"t", "many", "k", "2499"}), "text 2499");
  EXPECT_EQ(keys("t", "many", "k").size(), 2500U);
  for (TextChange& change : changes) change.text.reset();
  ASSERT_TRUE(texts().change_texts(changes));
  EXPECT_EQ(keys("t", "many", "k"), Names{});
  ASSERT_TRUE(texts().change_texts({}));
  changes = {{{"t", "s", "k", "a"}, "1"}, {{"t", "s", "k", ""}, "2"}};
  EXPECT_FALSE(texts().change_texts(changes));
}

TEST_P(TextContract, lists_are_in_order) {
  for (const char* key : {"b", "a", "ab", "a b", "aé", "az"}) put({"t", "s", "k", key}, "x");
  put({"t", "s", "k2", "c"}, "x");
  put({"t", "s", "j", "d"}, "x");
  put({"t", "s", "k.", "e"}, "x");
  EXPECT_EQ(keys("t", "s", "k"), (Names{"a", "a b", "ab", "az", "aé", "b"}));
  EXPECT_EQ(keys("t", "s", "k", "a"), (Names{"a", "a b", "ab", "az", "aé"}));
  EXPECT_EQ(keys("t", "s", "k", "ab"), Names{"ab"});
  EXPECT_EQ(keys("t", "s", "k", "ax"), Names{});
  EXPECT_EQ(keys("t", "s", "none"), Names{});
  EXPECT_EQ(all("t", "s"), (Names{"j/d", "k/a", "k/a b", "k/ab", "k/az", "k/aé", "k/b", "k./e", "k2/c"}));
  EXPECT_EQ(all("t", "other"), Names{});
}

TEST_P(TextContract, tenants_and_services_are_apart) {
  const std::vector<TextName> names = {{"t", "s", "k", "a"},  {"ts", "s", "k", "a"}, {"t", "ss", "k", "a"},
                                       {"t", "s", "kk", "a"}, {"t", "s", "k", "aa"}, {"", "s", "k", "a"}};
  for (std::size_t i = 0; i < names.size(); ++i) put(names[i], std::to_string(i));
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(get(names[i]), std::to_string(i));
  EXPECT_TRUE(texts().erase_text(names[0]));
  EXPECT_EQ(get(names[0]), "(none)");
  for (std::size_t i = 1; i < names.size(); ++i) EXPECT_EQ(get(names[i]), std::to_string(i));
  EXPECT_EQ(all("t", "s"), (Names{"k/aa", "kk/a"}));
  EXPECT_EQ(all("", "s"), Names{"k/a"});
}

TEST_P(TextContract, refuses_what_is_no_name_and_what_is_too_long) {
  const std::string long_name(kTextNameBytesMax + 1, 'x');
  for (const TextName& name : std::vector<TextName>{{"t", "", "k", "a"},
                                                    {"t", "s", "", "a"},
                                                    {"t", "s", "k", ""},
                                                    {"t", long_name, "k", "a"},
                                                    {"t", "s", long_name, "a"},
                                                    {"t", "s", "k", long_name},
                                                    {"t", "s", "k", std::string("a\0b", 3)}}) {
    EXPECT_EQ(texts().put_text(name, "x").error().code, Code::invalid);
    EXPECT_EQ(texts().erase_text(name).error().code, Code::invalid);
  }
  const std::string longest(kTextNameBytesMax, 'y');
  std::string large(kTextBytesMax, '\0');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 7);
  put({"t", longest, longest, longest}, large);
  EXPECT_EQ(get({"t", longest, longest, longest}), large);
  EXPECT_EQ(texts().put_text({"t", "s", "k", "a"}, large + "x").error().code, Code::too_large);
}

TEST_P(TextContract, random_work) {
  std::mt19937 random(1);
  std::map<std::string, std::string> model;  // by key
  for (int step = 0; step < 150; ++step) {
    const std::string key = "k" + std::to_string(random() % 20);
    if (random() % 3 == 0) {
      EXPECT_TRUE(texts().erase_text({"t", "random", "k", key}));
      model.erase(key);
    } else {
      put({"t", "random", "k", key}, std::to_string(step));
      model[key] = std::to_string(step);
    }
    if (step % 50 == 49) engine->restart();
    EXPECT_EQ(get({"t", "random", "k", key}), model.contains(key) ? model[key] : "(none)");
  }
  Names expected;
  for (const auto& [key, text] : model) expected.push_back(key);
  EXPECT_EQ(keys("t", "random", "k"), expected);
}

}  // namespace varve::storage::testing
