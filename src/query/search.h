// SPDX-License-Identifier: Apache-2.0
// Search: which metrics and series there are, by names and tags alone. No sample is read.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/matcher.h"
#include "model/ids.h"
#include "query/engine.h"
#include "query/request.h"
#include "query/under_way.h"

namespace varve::query {

struct Search {
  std::string tenant{};
  MetricName metric = index::Matchers{};  // all
  index::Matchers matchers{};             // of their series
};

// Called for each metric that has such series, in order of names, with those series, ascending. An error ends it.
using FoundMetric =
    std::function<Status(model::TenantId tenant, const std::string& metric, std::span<const model::SeriesId> series)>;

// Part of `query`, whose budget `found` charges for what it keeps. An unknown tenant has nothing. Errors: invalid (a
// bad regex), timeout, cancelled, limit (killed), what `found` said.
Status search(const Engine& engine, const Search& wanted, UnderWay& query, const FoundMetric& found);

// The names alone.
Result<std::vector<std::string>> metrics_with(const Engine& engine, const Search& wanted, UnderWay& query);

}  // namespace varve::query
