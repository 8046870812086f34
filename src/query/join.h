// SPDX-License-Identifier: Apache-2.0
// Join: groups of series have a value for each time, made of the values that the series have then. Between the stages
// of one series (downsampling) and this may stand a fill of empty windows and a rate. This is OpenTSDB's way;
// KairosDB's lets the stages work on the samples of a whole group. joiner.h does it.
//
//   samples → stages, or gathered in windows → fill → resolution → rate → across the group
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "aggregate/counter_stage.h"
#include "aggregate/rate.h"
#include "aggregate/reducer.h"
#include "aggregate/stage.h"

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

}  // namespace varve::query
