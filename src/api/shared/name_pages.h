// SPDX-License-Identifier: Apache-2.0
// Pages of names: what a list of metrics or of tags' values needs of the store, and no more.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/shared/discovery.h"
#include "base/result.h"
#include "index/name_page.h"
#include "model/ids.h"
#include "query/under_way.h"
#include "storage/series_store.h"

namespace varve::api {

// The page, and one name more, which says that another page follows.
index::NamePage page_and_one(const Page& page, std::string_view prefix);

// Metrics in order of their names, from the page's first on; its limit is up to the caller, who may leave some out.
// What is referred to must outlive this.
class MetricNames {
 public:
  MetricNames(const storage::SeriesStore& store, model::TenantId tenant, const Page& page, std::string_view prefix,
              query::UnderWay& query);

  // The next one, which stays valid until the next call; nullptr: there is none. Errors: limit, unavailable, cancelled,
  // timeout, what the store says.
  Result<const std::string*> next();

 private:
  const storage::SeriesStore& store_;
  const model::TenantId tenant_;
  query::UnderWay& query_;
  index::NamePage page_;
  std::string before_;  // the last name of `names_`, which page_.after may refer to
  std::vector<std::string> names_;
  std::size_t at_ = 0;
  bool is_over_ = false;
};

// Values of all tags of the metric together, each once, in order; empty metric: of the tenant.
Result<std::vector<std::string>> values_of_all_keys(const storage::SeriesStore& store, model::TenantId tenant,
                                                    std::string_view metric, const index::NamePage& page,
                                                    query::UnderWay& query);

}  // namespace varve::api
