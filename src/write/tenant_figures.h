// SPDX-License-Identifier: Apache-2.0
// TenantFigures: what each tenant has written since the start, and how many series it has, as metrics. There may be
// very many tenants: the largest ones are shown.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"
#include "storage/series_store.h"

namespace varve::write {

// The largest numbers, the largest first; of equal ones those whose labels come first.
std::vector<LabelledNumber> largest(std::vector<LabelledNumber> numbers, std::size_t most);

// Thread-safe.
class TenantFigures {
 public:
  static constexpr std::size_t kShown = 100;  // of each metric

  // Of a tenant that is in the store, which bounds their number. References stay valid.
  Counter& samples(std::string_view tenant) { return of(tenant).samples; }
  Counter& messages(std::string_view tenant) { return of(tenant).messages; }

  // varve_tenant_series, varve_tenant_samples_total and varve_tenant_messages_total, by tenant. `series` outlives the
  // metrics' last text. Where it is not in memory, series are shown of tenants that have written here.
  void register_metrics(Metrics& metrics, const storage::SeriesStore& series);

 private:
  struct Figures {
    Counter samples;
    Counter messages;
  };
  Figures& of(std::string_view tenant);
  [[nodiscard]] std::vector<LabelledNumber> written(const Counter Figures::* which) const;
  [[nodiscard]] std::vector<LabelledNumber> series_of(const storage::SeriesStore& series) const;

  mutable SharedMutex mutex_;
  std::map<std::string, Figures, std::less<>> tenants_ VARVE_GUARDED_BY(mutex_);  // addresses stay
};

}  // namespace varve::write
