// SPDX-License-Identifier: Apache-2.0
// What expressions of PromQL evaluate to: series with a column of values over the steps of the query, and ranges of
// samples. A second kind of value, native histograms, would be a second column of a series.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "language/promql/budget.h"
#include "model/tags.h"

namespace varve::language::promql {

// Sorted by name, none with an empty value; the metric is __name__.
using Labels = model::Tags;

// The value of a label; empty if there is none.
std::string_view label_of(const Labels& labels, std::string_view name);
// An empty value takes the label away.
void set_label(Labels& labels, std::string_view name, std::string_view value);
void drop_name(Labels& labels);
// The same of two sets exactly if these are the same.
void append_key(std::string& key, const Labels& labels);
// {__name__="m", a="1"}
std::string text_of(const Labels& labels);
std::size_t bytes_of(const Labels& labels);

// Times at which a query has a value: start, start + step, …, not beyond end. One time: start = end.
struct Steps {
  std::int64_t start_ms = 0;
  std::int64_t end_ms = 0;
  std::int64_t step_ms = 1;

  // 0 where the end is before the start.
  [[nodiscard]] std::size_t count() const {
    return end_ms < start_ms ? 0 : static_cast<std::size_t>((end_ms - start_ms) / step_ms) + 1;
  }
  [[nodiscard]] std::int64_t at(std::size_t step) const { return start_ms + static_cast<std::int64_t>(step) * step_ms; }
};

// A double for each step, and which steps have one.
class Column {
 public:
  Column() = default;
  // No step has a value. `more_bytes`: what its owner holds besides.
  static Result<Column> make(Budget& budget, std::size_t steps, std::size_t more_bytes = 0);

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] bool has(std::size_t step) const { return (words_[step / 64] >> (step % 64) & 1) != 0; }
  // Of a step that has one.
  [[nodiscard]] double operator[](std::size_t step) const { return values_[step]; }
  [[nodiscard]] double& value(std::size_t step) { return values_[step]; }
  // Of this step and those behind it.
  [[nodiscard]] const double* values_at(std::size_t step) const { return values_.data() + step; }
  void set(std::size_t step, double value) {
    values_[step] = value;
    words_[step / 64] |= std::uint64_t{1} << (step % 64);
  }
  void clear(std::size_t step) { words_[step / 64] &= ~(std::uint64_t{1} << (step % 64)); }
  // Each step has this value.
  void fill(double value);
  [[nodiscard]] bool empty() const;

  // Which steps have values, 64 a word.
  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return words_; }
  [[nodiscard]] std::uint64_t& word(std::size_t at) { return words_[at]; }

  // f(step) of those that have values.
  template <class F>
  void each(F f) const {
    for (std::size_t at = 0; at < words_.size(); ++at) each_bit(words_[at], at, f);
  }
  template <class F>
  static void each_bit(std::uint64_t bits, std::size_t word, F f) {
    for (; bits != 0; bits &= bits - 1) f(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
  }

 private:
  std::vector<double> values_;
  std::vector<std::uint64_t> words_;
  Charge held_;
};

struct Series {
  Labels labels;
  Column points;
};

// Samples of one series, in order of time, without markers.
struct RangeSeries {
  Labels labels;
  std::vector<std::int64_t> times;  // ms
  std::vector<double> values;
};

}  // namespace varve::language::promql
