// SPDX-License-Identifier: Apache-2.0
// Search: which metrics and series there are, by names and tags alone. No sample is read.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/matcher.h"
#include "model/ids.h"
#include "query/engine.h"

namespace varve::query {

struct Search {
  std::string tenant{};
  std::function<bool(std::string_view metric)> metric{};  // which metrics; empty: all
  index::Matchers matchers{};                             // of their series

  // For the list of running queries.
  std::string api{};
  std::string text{};
};

// Called for each metric that has such series, in order of names, with those series, ascending. An error ends it.
using FoundMetric =
    std::function<Status(model::TenantId tenant, const std::string& metric, std::span<const model::SeriesId> series)>;

// `budget` is what `found` charges; the caller's, so that what was found may outlive the call. An unknown tenant has
// nothing. Errors: invalid (a bad regex), timeout, cancelled, limit (killed), what `found` said.
Status search(const Engine& engine, const Search& wanted, std::atomic<bool>* cancelled, const Budget& budget,
              const FoundMetric& found);

// The names alone.
Result<std::vector<std::string>> metrics_with(const Engine& engine, const Search& wanted, std::atomic<bool>* cancelled);

}  // namespace varve::query
