// SPDX-License-Identifier: Apache-2.0
// A sample's value. The type belongs to the sample, not to the series: a series may change it.
//
// Complex numbers and histograms are stored as bytes, like strings; model/complex.h and model/histogram.h define them.
// Code that only stores or copies samples does not decode them, so the bytes may be malformed.
//
// A staleness marker says that the series has ended. It is stored and replaced like any sample, but it has no value:
// nobody sees it who does not ask for markers (storage/sample_store.h), and nothing counts it.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace varve::model {

// On disk and in the log: DO NOT CHANGE THE NUMBERS.
enum class ValueType : std::uint8_t {
  long_ = 1,
  double_ = 2,
  string = 3,
  complex = 4,
  histogram = 5,
  stale_marker = 6
};
inline constexpr unsigned kValueTypeLast = 5;  // of those that have a value

// How Prometheus writes a marker: as the double with these bits. Only its protocols and PromQL know it so; in the store
// such a double would be a NaN like any other.
inline constexpr std::uint64_t kStaleMarkerBits = 0x7ff0000000000002;

constexpr bool is_number(ValueType type) { return type == ValueType::long_ || type == ValueType::double_; }
// Is the value stored in Value::text?
constexpr bool in_text(ValueType type) { return type >= ValueType::string && type <= ValueType::histogram; }

// Kinds of samples that may be aggregated together; each kind is answered separately, in this order. Markers have none.
enum class ValueKind : std::uint8_t { number, text, complex, histogram };
inline constexpr unsigned kValueKinds = 4;
constexpr ValueKind kind_of(ValueType type) {
  return is_number(type)
             ? ValueKind::number
             : static_cast<ValueKind>(static_cast<unsigned>(type) - static_cast<unsigned>(ValueType::string) +
                                      static_cast<unsigned>(ValueKind::text));
}

// A view: `text` must outlive it. `bits` holds the int64 of a long or the IEEE 754 bits of a double, and is 0 where the
// value is in `text`.
struct Value {
  ValueType type = ValueType::long_;
  std::uint64_t bits = 0;
  std::string_view text;

  static Value of_long(std::int64_t v) { return {ValueType::long_, std::bit_cast<std::uint64_t>(v), {}}; }
  static Value of_double(double v) { return {ValueType::double_, std::bit_cast<std::uint64_t>(v), {}}; }
  static Value of_string(std::string_view v) { return {ValueType::string, 0, v}; }
  static Value of_complex(std::string_view encoded) { return {ValueType::complex, 0, encoded}; }
  static Value of_histogram(std::string_view encoded) { return {ValueType::histogram, 0, encoded}; }
  static Value of_stale_marker() { return {ValueType::stale_marker, 0, {}}; }

  [[nodiscard]] std::int64_t as_long() const { return std::bit_cast<std::int64_t>(bits); }
  [[nodiscard]] double as_double() const { return std::bit_cast<double>(bits); }
  bool operator==(const Value&) const = default;  // bit for bit
};

}  // namespace varve::model
