// SPDX-License-Identifier: Apache-2.0
// EngineSource: the series of the store, as a query that is under way may read them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "language/promql/source.h"
#include "query/columns.h"
#include "query/engine.h"
#include "query/under_way.h"

namespace varve::language::promql {

// What of a selector is asked of names of metrics, and what of tags.
query::Selected selected_by(std::span<const Matcher> matchers, model::TimeRange range);

// What a selector of the tree has read, by its matchers there.
struct SelectorRead {
  const Matcher* matchers = nullptr;
  std::uint64_t series = 0;  // with samples
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;  // that these took in memory
  std::int64_t ns = 0;      // reading alone, but for what was evaluated meanwhile
};

// One thread. What is referred to must outlive it.
class EngineSource final : public Source {
 public:
  EngineSource(const query::Engine& engine, std::string_view tenant, query::UnderWay& query, std::size_t series_max)
      : engine_(engine), tenant_(tenant), query_(query), series_max_(series_max) {}

  // More than `series_max` series are a limit. What is read is charged to the query until the last series is given.
  // Errors also: those of query::Columns.
  Status select(const Selection& selection, const SelectedSink& sink) override;

  // From here on it is noted what selectors read. Nobody else pays for the clock.
  void measure() { measures_ = true; }
  // In order of their first reading.
  [[nodiscard]] const std::vector<SelectorRead>& reads() const { return reads_; }

 private:
  Status read(const query::Selected& selected, const SelectedSink& sink);
  std::size_t place_of(const Matcher* matchers);

  const query::Engine& engine_;
  const std::string tenant_;
  query::UnderWay& query_;
  const std::size_t series_max_;
  bool measures_ = false;
  std::vector<SelectorRead> reads_;
};

}  // namespace varve::language::promql
