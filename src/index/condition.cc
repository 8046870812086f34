// SPDX-License-Identifier: Apache-2.0
#include "index/condition.h"

#include <utility>

#include "base/sort_unique.h"

namespace varve::index {

Result<Condition> Condition::make(const Catalog& catalog, std::uint32_t tenant, const Matcher& matcher) {
  VARVE_ASSIGN_OR_RETURN(auto value, ValueCondition::make(matcher));
  Condition condition(catalog, matcher, std::move(value));
  condition.fits_without_ = condition.value_.fits("");
  condition.key_ = catalog.find_key(tenant, matcher.key);
  return condition;
}

bool Condition::fits(std::uint32_t pair) {
  if (verdicts_.empty()) {
    const ListRef all = catalog_->keys[key_].pairs.ids;
    first_pair_ = catalog_->postings.first(all);
    verdicts_.resize(catalog_->postings.last(all) - first_pair_ + 1, Verdict::unknown);
  }
  Verdict& verdict = verdicts_[pair - first_pair_];
  if (verdict == Verdict::unknown) {
    verdict = value_.fits(catalog_->text(catalog_->pairs[pair].value)) ? Verdict::yes : Verdict::no;
  }
  return verdict == Verdict::yes;
}

std::vector<std::uint32_t> Condition::fitting_pairs() {
  std::vector<std::uint32_t> found;
  if (matcher_->kind == Matcher::Kind::any_of) {
    for (const std::string_view value : value_.values()) {
      const std::uint32_t pair = catalog_->find_pair(key_, value);
      if (pair != kNone) found.push_back(pair);
    }
    sort_unique(found);
    return found;
  }
  catalog_->postings.for_each(catalog_->keys[key_].pairs.ids, [&](std::uint32_t pair) {
    if (fits(pair)) found.push_back(pair);
  });
  return found;
}

std::size_t Condition::listing_cost() const {
  if (matcher_->kind == Matcher::Kind::any_of) return value_.values().size();
  return catalog_->postings.count(catalog_->keys[key_].pairs.ids);
}

}  // namespace varve::index
