// SPDX-License-Identifier: Apache-2.0
// A sample's value. The type belongs to the sample, not to the series: a series may change it.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace varve::model {

// On disk and in the log: DO NOT CHANGE THE NUMBERS.
enum class ValueType : std::uint8_t { long_ = 1, double_ = 2, string = 3 };

// A view: `text` must outlive it. `bits` holds the int64 of a long or the IEEE 754 bits of a double.
struct Value {
  ValueType type = ValueType::long_;
  std::uint64_t bits = 0;
  std::string_view text;

  static Value of_long(std::int64_t v) { return {ValueType::long_, std::bit_cast<std::uint64_t>(v), {}}; }
  static Value of_double(double v) { return {ValueType::double_, std::bit_cast<std::uint64_t>(v), {}}; }
  static Value of_string(std::string_view v) { return {ValueType::string, 0, v}; }

  [[nodiscard]] std::int64_t as_long() const { return std::bit_cast<std::int64_t>(bits); }
  [[nodiscard]] double as_double() const { return std::bit_cast<double>(bits); }
  bool operator==(const Value&) const = default;  // bit for bit
};

}  // namespace varve::model
