// SPDX-License-Identifier: Apache-2.0
// Join: from an answer that has each series by itself to one that has groups of series, with a value for each time made
// of the values that the series have then. Between the stages of one series (downsampling) and this may stand a fill of
// empty windows and a rate. This is OpenTSDB's way; KairosDB's lets the stages work on the samples of a whole group.
//
//   samples → stages, or gathered in windows → fill → resolution → rate → across the group
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "aggregate/counter_stage.h"
#include "aggregate/rate.h"
#include "aggregate/reducer.h"
#include "aggregate/stage.h"
#include "base/result.h"
#include "model/time.h"
#include "query/answer.h"
#include "query/budget.h"

namespace varve::query {

struct Join {
  enum class Fill : std::uint8_t { none, zero, nan };
  // Of each series, into windows.
  struct Downsample {
    std::variant<aggregate::Stage, aggregate::CounterStage> window;
    std::optional<aggregate::Reducer> gather;  // instead of the stage's function: for windows that no stage can make
    Fill fill = Fill::none;                    // of windows that have no samples

    [[nodiscard]] const aggregate::Grid& grid() const {
      return std::visit([](const auto& stage) -> const aggregate::Grid& { return stage; }, window);
    }
  };

  aggregate::Reducer reducer = aggregate::Reducer::sum;  // none: each series is a group
  std::vector<std::string> group_by;                     // tag keys
  std::optional<Downsample> downsample;
  std::int64_t resolution_ms = 1;  // times are cut to it; the reducer makes one value of several
  std::optional<aggregate::RateOptions> rate;
};

// `series`: the answer to a pipeline of each series, ascending, whose stage is `downsample` (unless it gathers). Texts
// are left out: they cannot be joined. Of the result, groups are in order of their group values (with reducer none: as
// the series were), and have `common` and `mixed`. Errors: limit; what `alive` says, which is asked now and then.
Result<MetricAnswer> join(const Join& how, model::TimeRange range, MetricAnswer series, Budget& budget,
                          const std::function<Status()>& alive);

}  // namespace varve::query
