// SPDX-License-Identifier: Apache-2.0
// What the tests of queries of several families share: a store in memory with an engine over it, and scripts of puts,
// questions and answers. A script:
//   == name # what to look at
//   word …            what the family's test makes of the word: puts, asks
//   200 answer        compared with that of the last question
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>

#include "api/testing/waiting_sink.h"
#include "api/testing/whole_context.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/task_pool.h"
#include "query/engine.h"
#include "storage/testing/memory_store.h"

namespace varve::api::testing {

class QueryScript : public ::testing::Test {
 protected:
  // Are given what follows the word. The same body in other letters may be the same answer.
  using Words = std::map<std::string, std::function<void(const std::string& rest)>>;
  using Compare = std::function<void(const std::string& body, const std::string& expected, const std::string& name)>;

  // A word asks by leaving the answer in response_.
  void run(const std::filesystem::path& script, const Words& words, const Compare& compare) {
    std::ifstream file(script);
    std::string line, name;
    int cases = 0;
    while (std::getline(file, line)) {
      const std::size_t space = line.find(' ');
      const std::string word = line.substr(0, space);
      const std::string rest = space == std::string::npos ? "" : line.substr(space + 1);
      if (word == "==") {
        name = rest;
      } else if (const auto known = words.find(word); known != words.end()) {
        known->second(rest);
      } else if (!line.empty() && line[0] >= '1' && line[0] <= '5') {
        EXPECT_EQ(std::to_string(response_.status), word) << name << ": " << response_.body;
        compare(response_.body, rest, name);
        ++cases;
      }
    }
    EXPECT_GT(cases, 0);
  }

  // Of the route that there is. Thread-safe.
  Response ask(const Request& request) {
    std::size_t pieces = 0;
    Response response = answer_of(router_, request, pieces);
    pieces_ = pieces;
    return response;
  }

  std::atomic<std::size_t> pieces_ = 0;  // of the last answer
  Response response_;
  storage::testing::MemoryStore store_;
  ManualClock clock_{1'800'000'000'000};  // 2027-01-15T08:00:00Z
  query::Engine engine_{store_, store_, clock_, {}};
  TaskPool pool_{2};
  Metrics metrics_;
  WholeContext whole_{store_, clock_};
  Router router_;
};

}  // namespace varve::api::testing
