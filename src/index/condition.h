// SPDX-License-Identifier: Apache-2.0
// Condition: a matcher prepared for one query. It evaluates pairs (tag values of its key) by id and caches the results:
// a regular expression runs once for each distinct value, not for each series.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "index/catalog.h"
#include "index/matcher.h"
#include "index/pace.h"
#include "index/value_condition.h"

namespace varve::index {

// Lives as long as its catalog and matcher. One thread.
class Condition {
 public:
  Condition(const Catalog& catalog, std::uint32_t tenant, const Matcher& matcher, ValueCondition value);

  // kNone: no series of the tenant has this tag.
  [[nodiscard]] std::uint32_t key() const { return key_; }
  // Does a series without the tag match?
  [[nodiscard]] bool fits_without() const { return fits_without_; }
  // Do series with this pair (one of key()) match? Means nothing once the pace has ended.
  [[nodiscard]] bool fits(std::uint32_t pair, Pace& pace);
  // All matching pairs, ascending. Cost: one look-up a value for any_of, else all pairs of the key.
  [[nodiscard]] std::vector<std::uint32_t> fitting_pairs(Pace& pace);
  // The number of pairs that fitting_pairs() would examine.
  [[nodiscard]] std::size_t listing_cost() const;

 private:
  enum class Verdict : std::uint8_t { unknown, yes, no };

  [[nodiscard]] bool judge(std::string_view value, Pace& pace) const;

  const Catalog* catalog_;
  const Matcher* matcher_;
  ValueCondition value_;
  std::uint32_t key_ = kNone;
  bool fits_without_ = false;
  std::uint32_t first_pair_ = 0;
  std::vector<Verdict> verdicts_;  // of pair first_pair_ + i; made when first asked
};

}  // namespace varve::index
