// SPDX-License-Identifier: Apache-2.0
// Log messages as a site of some forty hosts writes them: system logs, access lines, JSON of applications, stack
// traces, SQL, and XML events that name objects. Two thirds of each text repeat; numbers, ids and addresses are noise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/load/dataset.h"

namespace varve::load {

struct LogSet {
  std::uint64_t messages = 0;
  std::int64_t start_us = 0;
  std::int64_t span_us = 86'400'000'000;  // the messages are spread evenly over it
  std::uint64_t seed = 123;
};

struct LogMessage {
  std::int64_t time_us = 0;
  std::string source, module, type, category, node_type, ip, text;  // category and node_type: "" if absent
  std::vector<std::string> objects;                                 // type:value
  int kind = 0;
  int level = 0;
  std::uint64_t pid = 0;
  std::uint64_t sequence = 0;  // 0: absent
};

// Every 10,007th message ends with a word that occurs once in the whole set: needle and the message's number, 12
// digits.
inline constexpr std::uint64_t kNeedleEvery = 10'007;

// The messages of a set, in time order. They depend on the set only.
class Logs {
 public:
  explicit Logs(const LogSet& set) : set_(set), random_(set.seed) {}
  // False behind the last one.
  bool next(LogMessage& message);

 private:
  LogSet set_;
  Random random_;
  std::uint64_t number_ = 0;
  std::vector<std::uint64_t> sequences_;  // by host
};

}  // namespace varve::load
