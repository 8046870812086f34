// SPDX-License-Identifier: Apache-2.0
#include "index/condition.h"

#include <algorithm>

namespace varve::index {

Result<Condition> Condition::make(const Catalog& catalog, std::uint32_t tenant, const Matcher& matcher) {
  Condition condition(catalog, matcher);
  switch (matcher.kind) {
    case Matcher::Kind::any_of:
    case Matcher::Kind::none_of:
      condition.values_.assign(matcher.values.begin(), matcher.values.end());
      std::ranges::sort(condition.values_);
      break;
    case Matcher::Kind::regex:
    case Matcher::Kind::not_regex: {
      if (matcher.values.empty()) return fail(Code::invalid, "no expression for tag '" + matcher.key + "'");
      VARVE_TRY(condition.regex_, Regex::compile(matcher.values[0]));
      break;
    }
    case Matcher::Kind::prefix:
      if (matcher.values.empty()) return fail(Code::invalid, "no prefix for tag '" + matcher.key + "'");
      break;
  }
  condition.fits_without_ = condition.fits_value("");
  condition.key_ = catalog.find_key(tenant, matcher.key);
  return condition;
}

bool Condition::is_listed(std::string_view value) const { return std::ranges::binary_search(values_, value); }

bool Condition::fits_value(std::string_view value) const {
  switch (matcher_->kind) {
    case Matcher::Kind::any_of: return is_listed(value);
    case Matcher::Kind::none_of: return !is_listed(value);
    case Matcher::Kind::prefix: return value.starts_with(matcher_->values[0]);
    case Matcher::Kind::regex: return regex_->matches(value);
    case Matcher::Kind::not_regex: return !regex_->matches(value);
  }
  return false;
}

bool Condition::fits(std::uint32_t pair) {
  if (verdicts_.empty()) {
    const ListRef all = catalog_->keys[key_].pairs;
    first_pair_ = catalog_->postings.first(all);
    verdicts_.resize(catalog_->postings.last(all) - first_pair_ + 1, Verdict::unknown);
  }
  Verdict& verdict = verdicts_[pair - first_pair_];
  if (verdict == Verdict::unknown) {
    verdict = fits_value(catalog_->text(catalog_->pairs[pair].value)) ? Verdict::yes : Verdict::no;
  }
  return verdict == Verdict::yes;
}

std::vector<std::uint32_t> Condition::fitting_pairs() {
  std::vector<std::uint32_t> found;
  if (matcher_->kind == Matcher::Kind::any_of) {
    for (const std::string_view value : values_) {
      const std::uint32_t pair = catalog_->find_pair(key_, value);
      if (pair != kNone) found.push_back(pair);
    }
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
  }
  catalog_->postings.for_each(catalog_->keys[key_].pairs, [&](std::uint32_t pair) {
    if (fits(pair)) found.push_back(pair);
  });
  return found;
}

std::size_t Condition::listing_cost() const {
  if (matcher_->kind == Matcher::Kind::any_of) return values_.size();
  return catalog_->postings.count(catalog_->keys[key_].pairs);
}

}  // namespace varve::index
