// SPDX-License-Identifier: Apache-2.0
// Regex: an RE2 expression that must match the whole value; a dot matches any character. RE2 is named in regex.cc only.
// CapturingRegex: one whose groups are asked for. RegexMeter: what expressions may cost a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace varve {

// What is compiled is shared by copies. Thread-safe.
class Regex {
 public:
  static constexpr std::size_t kMemoryMax = std::size_t{1} << 20;  // of a program, with the states that it meets

  // Error: invalid (wrong, with what is wrong in it, or larger than kMemoryMax). It tells some of the expression.
  static Result<Regex> compile(std::string_view expression);
  // Is it an expression at all? Takes a part of the time.
  static Status check(std::string_view expression);

  // Within a RegexMeter, false is also the answer where that has failed.
  [[nodiscard]] bool matches(std::string_view value) const;

  [[nodiscard]] std::size_t instructions() const { return instructions_; }
  // What matches() may have to do at most: each instruction at each byte. Mostly it does one thing a byte.
  [[nodiscard]] std::uint64_t steps(std::size_t bytes) const {
    return (std::uint64_t{bytes} + 1) * std::uint64_t{instructions_};
  }

 private:
  std::shared_ptr<const re2::RE2> re2_;
  std::size_t instructions_ = 0;
};

// The same, and what its groups match. Thread-safe.
class CapturingRegex {
 public:
  // Error: that of Regex::compile().
  static Result<CapturingRegex> compile(std::string_view expression);

  // The value, then what each of its groups matches; empty: it takes no part. nullopt: it does not match the value.
  [[nodiscard]] std::optional<std::vector<std::string_view>> groups(std::string_view value) const;
  // The number of a group by its name, or by its number as a text. nullopt: there is none.
  [[nodiscard]] std::optional<std::size_t> group(std::string_view name) const;

 private:
  explicit CapturingRegex(Regex plain) : plain_(std::move(plain)) {}

  Regex plain_;  // most values are decided by it, and it is what a meter counts
  std::shared_ptr<const re2::RE2> re2_;
};

// While it lives, what expressions cost this thread is bounded: one value takes so many steps at most, and from time to
// time `go_on` is asked. Once one of them says no, no expression matches anything any more, and status() is the error:
// who made the meter asks for it, and does not use what was found. Meters may be nested; the innermost one counts.
class RegexMeter {
 public:
  static constexpr std::size_t kStepsOfValue = std::size_t{1} << 28;

  explicit RegexMeter(std::function<Status()> go_on, std::uint64_t steps_of_value = kStepsOfValue);
  ~RegexMeter();
  RegexMeter(const RegexMeter&) = delete;
  RegexMeter& operator=(const RegexMeter&) = delete;

  // Error: limit (a value that would take too many steps), or what `go_on` said.
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  friend class Regex;
  // May the expression be asked?
  bool take(const Regex& regex, std::size_t bytes);

  const std::function<Status()> go_on_;
  const std::uint64_t steps_of_value_;
  RegexMeter* const outer_;
  std::uint64_t steps_ = 0;  // since go_on() was asked
  Status status_;
};

}  // namespace varve
