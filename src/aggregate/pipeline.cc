// SPDX-License-Identifier: Apache-2.0
#include "aggregate/pipeline.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdio>

#include "aggregate/apply.h"

namespace varve::aggregate {

namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

// For histograms alone.
template <class T>
concept OfHistograms =
    std::same_as<T, Merge> || std::same_as<T, HistogramStage> || std::same_as<T, HistogramPercentile> ||
    std::same_as<T, HistogramFilter> || std::same_as<T, Apdex> || std::same_as<T, PercentRemaining>;
// Passes values on as they are, or chooses among them.
template <class T>
concept OfAnything = std::same_as<T, Gaps> || std::same_as<T, Trim> || std::same_as<T, Filter> ||
                     std::same_as<T, SaveAs> || std::same_as<T, MovingWindow>;

bool takes(const Step& step, model::ValueKind kind) {
  const bool numbers = kind == model::ValueKind::number;
  const bool histograms = kind == model::ValueKind::histogram;
  return std::visit(Overloaded{[&](const Stage& stage) { return numbers || histograms || takes_text(stage.function); },
                               [&](const Percentile&) { return numbers || histograms; },
                               [&](const OfHistograms auto&) { return histograms; },
                               [](const OfAnything auto&) { return true; }, [&](const auto&) { return numbers; }},
                    step);
}

// Asks of all values that were counted in a window, and of nothing else: histograms of its parts do. Of those with
// windows that take histograms.
bool merges(const Step& step) {
  const auto* const stage = std::get_if<Stage>(&step);
  if (stage != nullptr) return stage->function != Function::first && stage->function != Function::last;
  return std::holds_alternative<Percentile>(step) ||
         std::visit([]<class T>(const T&) { return OfHistograms<T> && std::derived_from<T, Grid>; }, step);
}

Result<Points> apply(const Step& step, const Scope& scope, Points in, const Saved& saved) {
  return std::visit(Overloaded{[&](const Stage& stage) -> Result<Points> { return apply(stage, scope, std::move(in)); },
                               [&](const HistogramStage& stage) -> Result<Points> {
                                 return apply_to_histograms(stage, scope, std::move(in));
                               },
                               [&](const HistogramPercentile& p) -> Result<Points> {
                                 return apply_to_histograms(p, scope, std::move(in));
                               },
                               [&](const SaveAs& save) -> Result<Points> {
                                 if (saved) VARVE_RETURN_IF_ERROR(saved(save, in));
                                 return std::move(in);
                               },
                               [&](const auto& other) -> Result<Points> {
                                 if constexpr (requires { apply(other, scope, std::move(in)); }) {
                                   return apply(other, scope, std::move(in));
                                 } else {
                                   return apply(other, std::move(in));
                                 }
                               }},
                    step);
}

Status check_fraction(double fraction) {
  if (fraction >= 0 && fraction <= 1) return {};
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.12g", fraction);
  return fail(Code::invalid, std::string(text.data()) + " is not in [0..1]");
}

// The name of the function for histograms alone.
std::string_view histogram_name_of(Function function) {
  static constexpr std::array<std::string_view, 8> kHistogramNames = {"havg",   "hsum", "hmin", "hmax",
                                                                      "hcount", "",     "",     "hdev"};
  return kHistogramNames[static_cast<std::size_t>(function)];
}

constexpr auto list_of(auto... names) { return std::array<std::string_view, sizeof...(names)>{names...}; }

}  // namespace

std::string_view name_of(const Step& step) {
  static constexpr auto kStepNames = list_of(
      "", "percentile", "least_squares", "gaps", "diff", "rate", "sampler", "scale", "div", "sma", "trim", "filter",
      "score", "save_as", "merge", "", "hpercentile", "hfilter", "apdex", "percent_remaining", "movingWindow", "");
  static_assert(kStepNames.size() == std::variant_size_v<Step>);
  if (const auto* stage = std::get_if<Stage>(&step)) return name_of(stage->function);
  if (const auto* stage = std::get_if<HistogramStage>(&step)) return histogram_name_of(stage->function);
  if (const auto* stage = std::get_if<CounterStage>(&step)) return name_of(*stage);
  return kStepNames[step.index()];
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
    return merges(step) ? grid_of(step) : nullptr;
  }
  return nullptr;
}

model::Timestamp reads_from(std::span<const Step> steps, model::Timestamp start) {
  model::Timestamp from = start;
  for (const Step& step : steps) {
    if (const auto* moving = std::get_if<MovingWindow>(&step)) from = std::min(from, first_begin(*moving, start));
  }
  return from;
}

Status check(const Step& step) {
  const Grid* grid = grid_of(step);
  if (grid != nullptr && grid->sampling.value <= 0) {
    return fail(Code::invalid, "sampling.value must be greater than 0");
  }
  if (const auto* percentile = std::get_if<Percentile>(&step)) return check_fraction(percentile->fraction);
  if (const auto* percentile = std::get_if<HistogramPercentile>(&step)) return check_fraction(percentile->fraction);
  if (const auto* sma = std::get_if<Sma>(&step); sma != nullptr && sma->size <= 0) {
    return fail(Code::invalid, "size must be greater than 0");
  }
  return {};
}

bool computes(const Step& step) {
  using enum Function;
  const auto of = [](const Stage& stage) {
    return stage.function == sum || stage.function == avg || stage.function == dev;
  };
  return std::visit(
      Overloaded{[&](const Stage& stage) { return of(stage); }, [&](const HistogramStage& stage) { return of(stage); },
                 [](const OfHistograms auto&) { return false; }, [](const OfAnything auto&) { return false; },
                 [](const Score&) { return false; }, [](const auto&) { return true; }},
      step);
}

Result<Points> run(std::span<const Step> steps, const Scope& scope, bool descending, Points in, const Saved& saved) {
  bool reversed = false;
  in = at_timestamps(std::move(in));
  const auto turn = [&](bool wanted) {
    if (reversed != wanted) in.reverse();
    reversed = wanted;
  };
  for (const Step& step : steps) {
    if (!takes(step, model::kind_of(in.type))) continue;
    if (scope.charge) VARVE_RETURN_IF_ERROR(scope.charge(0));
    turn(descending && grid_of(step) == nullptr);
    VARVE_ASSIGN_OR_RETURN(in, apply(step, scope, std::move(in), saved));
    in = at_timestamps(std::move(in));
  }
  turn(descending);
  return in;
}

}  // namespace varve::aggregate
