// SPDX-License-Identifier: Apache-2.0
// The data sets: what an agent on each of N hosts would send, shaped like TSBS "cpu-only" (10 tags, 10 fields a line).
//
//   integer   walk of N(0,1) steps clamped to 0..100, cut to integers; one line each 10 s
//   decimal   the same walk with two decimals
//   real      the same walk with all its 16 digits
//   mix       a scrape: 3 counters (each step + Poisson 40), 2 bursty, 3 nearly constant, 2 gauges with two decimals;
//             one line each 15 s, its time off by 0..9 ms
//
// A host's lines depend on the seed and the host only, so any part can be generated again: by another connection,
// another protocol, or the check that reads everything back.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace varve::load {

enum class Kind { integer, decimal, real, mix };

inline constexpr std::size_t kFields = 10;
inline constexpr std::size_t kTags = 10;

struct DataSet {
  Kind kind = Kind::integer;
  std::uint64_t hosts = 400;
  std::uint64_t first_host = 0;
  std::uint64_t steps = 8640;
  std::int64_t start_ms = 0;
  std::int64_t step_ms = 10'000;
  std::uint64_t seed = 123;
  std::uint64_t late_spans = 0;  // a tenth of the lines is late by up to so many times all steps; 0: none is

  [[nodiscard]] std::uint64_t lines() const { return hosts * steps; }
  [[nodiscard]] std::uint64_t samples() const { return lines() * kFields; }
};

enum class Form : std::uint8_t { integer, decimal, real };

// `whole` is the value of an integer, the hundredths of a decimal; a real has `real`.
struct Number {
  Form form = Form::integer;
  std::int64_t whole = 0;
  double real = 0;
};

struct Line {
  std::uint64_t host = 0;
  std::int64_t time_ms = 0;
  std::array<Number, kFields> values;
};

struct Tag {
  std::string_view key;
  std::string value;
};

// Sorted by key, as every protocol wants or allows them.
std::array<Tag, kTags> host_tags(std::uint64_t host);
std::string_view measurement(Kind kind);
std::string_view field_name(Kind kind, std::size_t field);

// A small generator with 8 bytes of state, so that 100,000 hosts stay cheap.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  double uniform();  // [0, 1)
  double normal();   // N(0, 1)
  std::uint64_t below(std::uint64_t bound);
  std::int64_t poisson(double mean);

 private:
  std::uint64_t state_;
  double spare_ = 0;
  bool has_spare_ = false;
};

// The lines of one host, in time order but for late ones. Those stand a millisecond behind a step, so that none takes
// the place of another that was in time.
class Host {
 public:
  Host(const DataSet& data, std::uint64_t host);
  void next(Line& line);

 private:
  void walk(Line& line);
  void scrape(Line& line);

  Kind kind_;
  std::uint64_t host_;
  std::int64_t time_ms_;
  std::int64_t step_ms_;
  std::int64_t span_ms_;
  std::uint64_t late_spans_;
  Random random_;
  Random lateness_;
  std::array<double, kFields> state_{};
};

// Appends the number as text; what is not an integer always has a point, so that no protocol takes it for one.
void append_number(std::string& out, const Number& number);
double as_double(const Number& number);

}  // namespace varve::load
