// SPDX-License-Identifier: Apache-2.0
// Chunks of HTTP/1.1, taken apart as they come.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::logs {

class Chunks {
 public:
  // Appends what of the body is in these bytes. Error: invalid.
  Status take(std::string_view bytes, std::string& body);
  [[nodiscard]] bool ended() const { return state_ == State::end; }

 private:
  enum class State : std::uint8_t { size, data, behind_data, trailer, end };
  Status take_line();

  State state_ = State::size;
  std::string line_;  // as far as it has come
  std::uint64_t left_ = 0;
};

}  // namespace varve::logs
