// SPDX-License-Identifier: Apache-2.0
// Condition: a matcher made ready for one query. It is asked about pairs (tag values of its key) by their number and
// answers from memory when it has seen the pair: an expression runs once for each distinct value, not for each series.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/catalog.h"
#include "index/matcher.h"
#include "index/regex.h"

namespace varve::index {

// Lives as long as its catalog and matcher. One thread.
class Condition {
 public:
  // Error: invalid (a bad regular expression, a missing one, no prefix).
  static Result<Condition> make(const Catalog& catalog, std::uint32_t tenant, const Matcher& matcher);

  // kNone: no series of the tenant has this tag.
  [[nodiscard]] std::uint32_t key() const { return key_; }
  // Whether a series without the tag fits.
  [[nodiscard]] bool fits_without() const { return fits_without_; }
  // Whether the series with this pair, one of key(), fit.
  [[nodiscard]] bool fits(std::uint32_t pair);
  // All pairs that fit, ascending. Cost: one look-up a value for any_of, else all pairs of the key.
  [[nodiscard]] std::vector<std::uint32_t> fitting_pairs();
  // How many pairs fitting_pairs() would look at.
  [[nodiscard]] std::size_t listing_cost() const;

 private:
  enum class Verdict : std::uint8_t { unknown, yes, no };

  Condition(const Catalog& catalog, const Matcher& matcher) : catalog_(&catalog), matcher_(&matcher) {}
  [[nodiscard]] bool fits_value(std::string_view value) const;
  [[nodiscard]] bool is_listed(std::string_view value) const;

  const Catalog* catalog_;
  const Matcher* matcher_;
  std::vector<std::string_view> values_;  // sorted
  std::optional<Regex> regex_;
  std::uint32_t key_ = kNone;
  bool fits_without_ = false;
  std::uint32_t first_pair_ = 0;
  std::vector<Verdict> verdicts_;  // of pair first_pair_ + i; made when first asked
};

}  // namespace varve::index
