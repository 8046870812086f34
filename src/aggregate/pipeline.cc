// SPDX-License-Identifier: Apache-2.0
#include "aggregate/pipeline.h"

#include <array>
#include <cstdio>

#include "aggregate/apply.h"

namespace varve::aggregate {

namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

bool takes(const Step& step, model::ValueKind kind) {
  const bool numbers = kind == model::ValueKind::number;
  const bool histograms = kind == model::ValueKind::histogram;
  return std::visit(
      Overloaded{[&](const Stage& stage) { return numbers || histograms || takes_text(stage.function); },
                 [&](const Percentile&) { return numbers || histograms; }, [&](const Merge&) { return histograms; },
                 [](const Gaps&) { return true; }, [](const Trim&) { return true; }, [](const Filter&) { return true; },
                 [](const SaveAs&) { return true; }, [&](const auto&) { return numbers; }},
      step);
}

Result<Points> apply(const Step& step, const Scope& scope, Points in, const Saved& saved) {
  return std::visit(
      Overloaded{[&](const Stage& stage) -> Result<Points> { return apply(stage, scope.start, std::move(in)); },
                 [&](const Percentile& p) -> Result<Points> { return apply(p, scope, std::move(in)); },
                 [&](const LeastSquares& line) -> Result<Points> { return apply(line, scope, std::move(in)); },
                 [&](const Gaps& gaps) -> Result<Points> { return apply(gaps, scope, std::move(in)); },
                 [&](const Merge& merge) -> Result<Points> { return apply(merge, scope, std::move(in)); },
                 [&](const SaveAs& save) -> Result<Points> {
                   if (saved) VARVE_CHECK_OK(saved(save, in));
                   return std::move(in);
                 },
                 [&](const auto& column) -> Result<Points> { return apply(column, std::move(in)); }},
      step);
}

}  // namespace

std::string_view name_of(const Step& step) {
  static constexpr std::array<std::string_view, std::variant_size_v<Step>> kNames = {
      "",    "percentile", "least_squares", "gaps",   "diff",  "rate",    "sampler", "scale",
      "div", "sma",        "trim",          "filter", "score", "save_as", "merge"};
  const auto* stage = std::get_if<Stage>(&step);
  return stage != nullptr ? name_of(stage->function) : kNames[step.index()];
}

const Grid* grid_of(const Step& step) {
  return std::visit(
      [](const auto& one) -> const Grid* {
        if constexpr (std::is_base_of_v<Grid, std::decay_t<decltype(one)>>) return &one;
        return nullptr;
      },
      step);
}

const Grid* merging_grid(std::span<const Step> steps) {
  for (const Step& step : steps) {
    if (!takes(step, model::ValueKind::histogram)) continue;
    const auto* const stage = std::get_if<Stage>(&step);
    const bool merges = (stage != nullptr && stage->function != Function::first && stage->function != Function::last) ||
                        std::holds_alternative<Percentile>(step) || std::holds_alternative<Merge>(step);
    return merges ? grid_of(step) : nullptr;
  }
  return nullptr;
}

Status check(const Step& step) {
  const Grid* grid = grid_of(step);
  if (grid != nullptr && grid->sampling.value <= 0) {
    return fail(Code::invalid, "sampling.value must be greater than 0");
  }
  if (const auto* percentile = std::get_if<Percentile>(&step)) {
    if (percentile->fraction >= 0 && percentile->fraction <= 1) return {};
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.12g", percentile->fraction);
    return fail(Code::invalid, std::string(text.data()) + " is not in [0..1]");
  }
  if (const auto* sma = std::get_if<Sma>(&step); sma != nullptr && sma->size <= 0) {
    return fail(Code::invalid, "size must be greater than 0");
  }
  return {};
}

bool computes(const Step& step) {
  return std::visit(Overloaded{[](const Stage& stage) {
                                 using enum Function;
                                 return stage.function == sum || stage.function == avg || stage.function == dev;
                               },
                               [](const Gaps&) { return false; }, [](const Trim&) { return false; },
                               [](const Filter&) { return false; }, [](const Score&) { return false; },
                               [](const SaveAs&) { return false; }, [](const Merge&) { return false; },
                               [](const auto&) { return true; }},
                    step);
}

Result<Points> run(std::span<const Step> steps, const Scope& scope, bool descending, Points in, const Saved& saved) {
  bool reversed = false;
  const auto turn = [&](bool wanted) {
    if (reversed != wanted) in.reverse();
    reversed = wanted;
  };
  for (const Step& step : steps) {
    if (!takes(step, model::kind_of(in.type))) continue;
    turn(descending && grid_of(step) == nullptr);
    VARVE_TRY(in, apply(step, scope, std::move(in), saved));
  }
  turn(descending);
  return in;
}

}  // namespace varve::aggregate
