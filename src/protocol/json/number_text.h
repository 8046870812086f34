// SPDX-License-Identifier: Apache-2.0
// Numbers into JSON text, as KairosDB writes them: a whole double without decimals (55), others in the shortest form
// that reads back bit for bit, with an exponent outside of [1e-3, 1e7) (1.5E-7, 1.0E20). NaN and infinities: null.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace varve::protocol::json {

// Write at `at`, where kNumberChars are free, and return the end. What is free behind the end may be written to.
inline constexpr std::size_t kNumberChars = 40;
char* write_long(char* at, std::int64_t value);
char* write_double(char* at, double value);

// write_long for numbers of which neighbours begin alike, as times of samples do: the digits in front of the last eight
// are kept from one to the next.
class NeighbourText {
 public:
  char* write(char* at, std::int64_t value);

 private:
  std::int64_t front_ = 0;
  char text_[16] = {};  // of front_
  std::size_t length_ = 0;
};

void append_long(std::string& out, std::int64_t value);
void append_unsigned(std::string& out, std::uint64_t value);
void append_double(std::string& out, double value);

}  // namespace varve::protocol::json
