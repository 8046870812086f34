// SPDX-License-Identifier: Apache-2.0
#include "index/condition.h"

#include <utility>

#include "base/sort_unique.h"

namespace varve::index {

namespace {

constexpr std::uint64_t kStepsOfWork = 16;        // of an expression, in the time of one unit of a pace's work
constexpr std::uint64_t kStepsInside = 1U << 14;  // below, it is asked with the lock: a turn takes its time, too

}  // namespace

Condition::Condition(const Catalog& catalog, std::uint32_t tenant, const Matcher& matcher, ValueCondition value)
    : catalog_(&catalog), matcher_(&matcher), value_(std::move(value)) {
  fits_without_ = value_.fits("");
  key_ = catalog.find_key(tenant, matcher.key);
}

bool Condition::judge(std::string_view value, Pace& pace) const {
  const std::uint64_t steps = value_.steps(value.size());
  if (steps >= kStepsInside) return pace.aside([&] { return value_.fits(value); });
  pace.worked(static_cast<std::size_t>(steps / kStepsOfWork));
  return value_.fits(value);
}

bool Condition::fits(std::uint32_t pair, Pace& pace) {
  if (verdicts_.empty()) first_pair_ = catalog_->postings.first(catalog_->keys[key_].pairs.ids);
  if (pair - first_pair_ >= verdicts_.size()) {  // at first, and when others have come meanwhile
    const std::size_t size = catalog_->postings.last(catalog_->keys[key_].pairs.ids) - first_pair_ + std::size_t{1};
    pace.aside([&] { verdicts_.resize(size, Verdict::unknown); });
  }
  Verdict& verdict = verdicts_[pair - first_pair_];
  if (verdict == Verdict::unknown) {
    verdict = judge(catalog_->text(catalog_->pairs[pair].value), pace) ? Verdict::yes : Verdict::no;
  }
  return verdict == Verdict::yes;
}

std::vector<std::uint32_t> Condition::fitting_pairs(Pace& pace) {
  std::vector<std::uint32_t> found;
  if (matcher_->kind == Matcher::Kind::any_of) {
    for (const std::string_view value : value_.values()) {
      if (!pace.worked(1)) return found;
      const std::uint32_t pair = catalog_->find_pair(key_, value);
      if (pair != kNone) found.push_back(pair);
    }
    sort_unique(found);
    return found;
  }
  catalog_->postings.walk(catalog_->keys[key_].pairs.ids, [&](std::uint32_t pair) {
    if (fits(pair, pace)) found.push_back(pair);
    return pace.worked(1);
  });
  return found;
}

std::size_t Condition::listing_cost() const {
  if (matcher_->kind == Matcher::Kind::any_of) return value_.values().size();
  return catalog_->postings.count(catalog_->keys[key_].pairs.ids);
}

}  // namespace varve::index
