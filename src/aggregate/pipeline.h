// SPDX-License-Identifier: Apache-2.0
// Pipeline: steps that follow one another over the points of one group. A step is a function of windows or a function
// of the column; a query may hold them in any order.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "aggregate/change.h"
#include "aggregate/filter.h"
#include "aggregate/gaps.h"
#include "aggregate/histogram_filter.h"
#include "aggregate/histograms.h"
#include "aggregate/least_squares.h"
#include "aggregate/moving_window.h"
#include "aggregate/percentile.h"
#include "aggregate/points.h"
#include "aggregate/remaining.h"
#include "aggregate/scale.h"
#include "aggregate/scope.h"
#include "aggregate/score.h"
#include "aggregate/sma.h"
#include "aggregate/stage.h"
#include "aggregate/trim.h"
#include "base/result.h"

namespace varve::aggregate {

// The points pass as they are, and whoever runs the pipeline is told, to write them.
struct SaveAs {
  std::string metric;
  std::vector<std::pair<std::string, std::string>> tags;
  std::int64_t ttl_s = 0;  // 0: as long as everything
  bool add_saved_from = true;
};

using Step = std::variant<Stage, Percentile, LeastSquares, Gaps, Diff, Rate, Sampler, Scale, Divide, Sma, Trim, Filter,
                          Score, SaveAs, Merge, HistogramStage, HistogramPercentile, HistogramFilter, Apdex,
                          PercentRemaining, MovingWindow>;
using Pipeline = std::vector<Step>;

// As KairosDB calls it.
std::string_view name_of(const Step& step);

// The windows' grid of a function of windows; else nullptr.
const Grid* grid_of(const Step& step);

// The grid of the windows of which the first step that takes histograms makes its points, where merged ones of parts of
// a window would do for it: it asks for no more than of all values that they counted. Else nullptr.
const Grid* merging_grid(std::span<const Step> steps);

// From when on samples have a say in what the steps make of a range that begins at `start`: earlier where windows move.
// Of steps that check() is content with.
model::Timestamp reads_from(std::span<const Step> steps, model::Timestamp start);

// Is there a set of samples that the step can be done to? Error: invalid.
Status check(const Step& step);

// Does it compute, so that finite values may become infinite?
bool computes(const Step& step);

using Saved = std::function<Status(const SaveAs&, const Points&)>;

// Runs the steps over `in`, which ascends by time, then by value. Functions of windows always see time ascending; those
// of the column see it as the answer will be, so that with `descending` they look forward in time. The result is in
// order of the answer. Steps that do not take the points' kind of values leave them as they
// are. `saved` may be empty. Errors: those of the
// steps, of `saved` and of scope.charge.
Result<Points> run(std::span<const Step> steps, const Scope& scope, bool descending, Points in, const Saved& saved);

}  // namespace varve::aggregate
