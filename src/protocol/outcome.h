// SPDX-License-Identifier: Apache-2.0
// Outcome: what became of a request's entries (lines, series): how many samples went into the batch, and which entries
// were refused and why. A request of a million bad lines costs a million counts, and reasons for the first hundred.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace varve::protocol {

// To find out that an entry is no protobuf costs an exception, which takes as long as a hundred good entries: after so
// many of a request no more are read.
inline constexpr std::size_t kBrokenMax = 100;

struct Rejected {
  std::size_t position = 0;  // of the entry: a line's number from 1, a series' index from 0
  Code code = Code::invalid;
  std::string reason;
};

struct Outcome {
  static constexpr std::size_t kListed = 100;

  std::size_t accepted = 0;               // samples, without markers
  std::size_t left_out = 0;               // good ones for which there is nothing to store
  std::size_t rejected = 0;               // entries
  std::array<std::size_t, 16> by_code{};  // rejected entries, by Code
  std::vector<Rejected> listed;           // the first kListed of them

  void reject(std::size_t position, Error error) {
    ++rejected;
    ++by_code[static_cast<std::size_t>(error.code)];
    if (listed.size() < kListed) listed.push_back({position, error.code, std::move(error.message)});
  }
  [[nodiscard]] std::size_t count(Code code) const { return by_code[static_cast<std::size_t>(code)]; }
};

}  // namespace varve::protocol
