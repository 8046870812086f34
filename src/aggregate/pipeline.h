// SPDX-License-Identifier: Apache-2.0
// Pipeline: the steps of a query over the points of one group, in order. A step is a function over windows or over the
// whole column.
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
#include "aggregate/counter_stage.h"
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

// Passes the points unchanged, and hands them to the caller of the pipeline, which writes them.
struct SaveAs {
  std::string metric;
  std::vector<std::pair<std::string, std::string>> tags;
  std::int64_t ttl_s = 0;  // 0: as long as everything
  bool add_saved_from = true;
};

using Step = std::variant<Stage, Percentile, LeastSquares, Gaps, Diff, Rate, Sampler, Scale, Divide, Sma, Trim, Filter,
                          Score, SaveAs, Merge, HistogramStage, HistogramPercentile, HistogramFilter, Apdex,
                          PercentRemaining, MovingWindow, CounterStage>;
using Pipeline = std::vector<Step>;

// As KairosDB calls it.
std::string_view name_of(const Step& step);

// The window grid of a function over windows; else nullptr.
const Grid* grid_of(const Step& step);

// The window grid of the first step that accepts histograms, if histograms merged over parts of a window suffice for
// it. Else nullptr.
const Grid* merging_grid(std::span<const Step> steps);

// The time from which samples influence the result for a range that begins at `start`: earlier with moving windows,
// maybe before all samples. The steps must have passed check().
model::Timestamp reads_from(std::span<const Step> steps, model::Timestamp start);

// Is the step valid for any set of samples? Error: invalid.
Status check(const Step& step);

// Does the step compute, so that finite values may become infinite?
bool computes(const Step& step);

using Saved = std::function<Status(const SaveAs&, const Points&)>;

// Runs the steps over `in`, which ascends by time, then by value. Functions over windows always see ascending times;
// functions over the column see the order of the answer, so with `descending` they look forward in time. The result is
// in the order of the answer. Steps that do not accept the points' kind of values pass them unchanged. `saved` may be
// empty. Points at times that no sample can have are left out before and behind each step. Errors: those of the steps,
// of `saved` and of scope.charge.
Result<Points> run(std::span<const Step> steps, const Scope& scope, bool descending, Points in, const Saved& saved);

}  // namespace varve::aggregate
