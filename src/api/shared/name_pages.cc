// SPDX-License-Identifier: Apache-2.0
#include "api/shared/name_pages.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "api/shared/query_answer.h"
#include "base/sort_unique.h"

namespace varve::api {
namespace {

constexpr std::size_t kNamesAtOnce = 10'000;  // between two looks at whether anybody still waits

}  // namespace

index::NamePage page_and_one(const Page& page, std::string_view prefix) {
  const bool all = page.limit == std::numeric_limits<std::size_t>::max();
  return {.prefix = prefix, .after = page.after.value_or(""), .limit = all ? 0 : page.limit + 1};
}

MetricNames::MetricNames(const storage::SeriesStore& store, model::TenantId tenant, const Page& page,
                         std::string_view prefix, query::UnderWay& query)
    : store_(store), tenant_(tenant), query_(query), page_(page_and_one(page, prefix)) {
  page_.limit = page_.limit == 0 ? kNamesAtOnce : std::min(page_.limit, kNamesAtOnce);
}

Result<const std::string*> MetricNames::next() {
  if (at_ == names_.size() && !is_over_) {
    if (!names_.empty()) page_.after = before_ = names_.back();
    VARVE_RETURN_IF_ERROR(query_.check());
    VARVE_ASSIGN_OR_RETURN(names_, store_.metric_names(tenant_, page_));
    VARVE_RETURN_IF_ERROR(charge_names(query_.budget(), names_));
    at_ = 0;
    is_over_ = names_.size() < page_.limit;
  }
  return at_ < names_.size() ? &names_[at_++] : nullptr;
}

Result<std::vector<std::string>> values_of_all_keys(const storage::SeriesStore& store, model::TenantId tenant,
                                                    std::string_view metric, const index::NamePage& page,
                                                    query::UnderWay& query) {
  std::vector<std::string> all;
  VARVE_ASSIGN_OR_RETURN(const auto keys, store.tag_keys(tenant, metric, {}));
  for (const std::string& key : keys) {
    VARVE_RETURN_IF_ERROR(query.check());
    VARVE_ASSIGN_OR_RETURN(auto values, store.tag_values(tenant, metric, key, page));
    VARVE_RETURN_IF_ERROR(charge_names(query.budget(), values));
    std::ranges::move(values, std::back_inserter(all));
  }
  sort_unique(all);
  if (page.limit != 0 && all.size() > page.limit) all.resize(page.limit);
  return all;
}

}  // namespace varve::api
