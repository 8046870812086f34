// SPDX-License-Identifier: Apache-2.0
// Annotations: what an answer says besides its values, in Prometheus' words: warnings and infos, each once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "language/promql/expression.h"

namespace varve::language::promql {

// What of a histogram's buckets had to be repaired.
struct MonotonicityRepair {
  double lowest_bound = 0, highest_bound = 0;  // of the buckets
  double largest_difference = 0;
};

class Annotations {
 public:
  // `text`: of the query.
  explicit Annotations(std::string_view text) : text_(text) {}

  void warn(std::string_view what, Span at) { add(warnings_, "PromQL warning: ", what, at); }
  void inform(std::string_view what, Span at) { add(infos_, "PromQL info: ", what, at); }
  // Buckets of one histogram at one time. All of them are one info, for each place.
  void repaired(const MonotonicityRepair& repair, std::int64_t time_ms, Span at);

  // At most kListedMax, and one line that says how many more there were.
  std::vector<std::string> take_warnings() { return taken(warnings_, "warning"); }
  std::vector<std::string> take_infos();

 private:
  struct List {
    std::vector<std::string> texts;
    std::unordered_set<std::string> known;
    std::unordered_set<std::size_t> omitted;  // hashes of those that are not listed
  };
  struct Repairs {
    Span at;
    MonotonicityRepair repair;
    std::uint64_t samples = 0;
    std::int64_t first_ms = 0, last_ms = 0;
  };
  static constexpr std::size_t kListedMax = 10;
  static constexpr std::size_t kOmittedMax = 10'000;  // that are told apart
  void add(List& list, std::string_view kind, std::string_view what, Span at) const;
  static std::vector<std::string> taken(List& list, std::string_view kind);

  const std::string_view text_;
  List warnings_, infos_;
  std::vector<Repairs> repairs_;
};

// As %g of Go: 0.5, 1e+06, NaN, +Inf.
std::string text_of_number(double value);
// The shortest decimal that is read as this value, with no exponent: 1000000, NaN, +Inf.
std::string plain_text_of_number(double value);

}  // namespace varve::language::promql
