// SPDX-License-Identifier: Apache-2.0
#include "write/tenant_figures.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/ids.h"

namespace varve::write {

std::vector<LabelledNumber> largest(std::vector<LabelledNumber> numbers, std::size_t most) {
  const auto is_before = [](const LabelledNumber& a, const LabelledNumber& b) {
    return a.number != b.number ? a.number > b.number : a.label < b.label;
  };
  const std::size_t shown = std::min(most, numbers.size());
  std::partial_sort(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(shown), numbers.end(), is_before);
  numbers.resize(shown);
  return numbers;
}

TenantFigures::Figures& TenantFigures::of(std::string_view tenant) {
  {
    const ReaderLock lock(mutex_);
    if (const auto at = tenants_.find(tenant); at != tenants_.end()) return at->second;
  }
  const MutexLock lock(mutex_);
  return tenants_[std::string(tenant)];
}

std::vector<LabelledNumber> TenantFigures::written(const Counter Figures::* which) const {
  std::vector<LabelledNumber> out;
  {
    const ReaderLock lock(mutex_);
    out.reserve(tenants_.size());
    for (const auto& [name, figures] : tenants_) {
      if (const auto value = (figures.*which).value(); value != 0) out.push_back({name, static_cast<double>(value)});
    }
  }
  return largest(std::move(out), kShown);
}

// A store that cannot be asked now shows nothing.
std::vector<LabelledNumber> TenantFigures::series_of(const storage::SeriesStore& series) const {
  std::vector<std::string> names;
  if (series.in_memory()) {
    if (auto all = series.tenants()) names = std::move(*all);
  } else {
    const ReaderLock lock(mutex_);
    for (const auto& [name, figures] : tenants_) names.push_back(name);
  }
  std::vector<LabelledNumber> out;
  for (std::string& name : names) {
    const auto id = series.find_tenant(name);
    if (!id || !*id) continue;
    const std::size_t count = series.series_count(**id);
    if (count != 0) out.push_back({std::move(name), static_cast<double>(count)});
  }
  return largest(std::move(out), kShown);
}

void TenantFigures::register_metrics(Metrics& metrics, const storage::SeriesStore& series) {
  metrics.gauge_of_each("varve_tenant_series", "Series that have data, of the tenants with the most.", "tenant",
                        [this, &series] { return series_of(series); });
  metrics.counter_of_each("varve_tenant_samples_total",
                          "Samples taken in since the start, of the tenants with the most.", "tenant",
                          [this] { return written(&Figures::samples); });
  metrics.counter_of_each("varve_tenant_messages_total",
                          "Log messages stored since the start, of the tenants with the most.", "tenant",
                          [this] { return written(&Figures::messages); });
}

}  // namespace varve::write
