// SPDX-License-Identifier: Apache-2.0
// and, or, unless; default.
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "language/promql/matching.h"
#include "language/promql/merging.h"

namespace varve::language::promql {
namespace {

// At which steps does a key have a series?
class KeyPresence {
 public:
  KeyPresence(Evaluation& evaluation, const Matching& matching)
      : evaluation_(evaluation), keys_(evaluation, matching) {}

  Status add(const Series& series) {
    VARVE_RETURN_IF_ERROR(evaluation_.spend(series.points.words().size()));
    VARVE_ASSIGN_OR_RETURN(const std::size_t place, keys_.place(series.labels));
    if (place == words_.size()) {
      VARVE_ASSIGN_OR_RETURN(Charge more, evaluation_.budget().charge(series.points.words().size() * 8));
      held_.absorb(std::move(more));
      words_.push_back(series.points.words());
      return {};
    }
    for (std::size_t at = 0; at < words_[place].size(); ++at) words_[place][at] |= series.points.words()[at];
    return {};
  }

  // Leaves the steps at which the key of the series is there, or those at which it is not.
  void filter(Series& series, bool there) {
    const std::size_t place = keys_.find(series.labels);
    for (std::size_t at = 0; at < series.points.words().size(); ++at) {
      const std::uint64_t word = place == KeyedSeries::kNone ? 0 : words_[place][at];
      series.points.word(at) &= there ? word : ~word;
    }
  }

 private:
  Evaluation& evaluation_;
  KeyedSeries keys_;
  std::vector<std::vector<std::uint64_t>> words_;
  Charge held_;
};

// A scalar is one series without labels; NaN is a gap.
Status each_operand(Evaluation& evaluation, const Expression& side, const Steps& steps, const SeriesSink& sink) {
  if (side.type == ValueType::vector) return evaluation.each(side, steps, sink);
  Series one;
  VARVE_ASSIGN_OR_RETURN(one.points, evaluation.scalar(side, steps));
  one.points.each([&](std::size_t step) {
    if (std::isnan(one.points[step])) one.points.clear(step);
  });
  return one.points.empty() ? Status{} : sink(std::move(one));
}

void fill_gaps(Column& into, const Column& from) {
  for (std::size_t at = 0; at < into.words().size(); ++at) {
    Column::each_bit(from.words()[at] & ~into.words()[at], at, [&](std::size_t step) { into.set(step, from[step]); });
  }
}

}  // namespace

Status intersection(Evaluation& evaluation, const Binary& node, const Steps& steps, const SeriesSink& sink) {
  KeyPresence right(evaluation, node.matching);
  VARVE_RETURN_IF_ERROR(evaluation.each(*node.right, steps, [&](Series&& one) { return right.add(one); }));
  return evaluation.each(*node.left, steps, [&](Series&& one) -> Status {
    right.filter(one, node.op == BinaryOp::set_and);
    return one.points.empty() ? Status{} : sink(std::move(one));
  });
}

Status union_of(Evaluation& evaluation, const Binary& node, const Steps& steps, const SeriesSink& sink) {
  KeyPresence left(evaluation, node.matching);
  Merger out(evaluation);
  VARVE_RETURN_IF_ERROR(evaluation.each(*node.left, steps, [&](Series&& one) -> Status {
    VARVE_RETURN_IF_ERROR(left.add(one));
    return out.add(std::move(one));
  }));
  VARVE_RETURN_IF_ERROR(evaluation.each(*node.right, steps, [&](Series&& one) -> Status {
    left.filter(one, false);
    return one.points.empty() ? Status{} : out.add(std::move(one));
  }));
  return out.give(sink);
}

Status defaults(Evaluation& evaluation, const Binary& node, const Steps& steps, const SeriesSink& sink) {
  KeyedSeries keys(evaluation, node.matching);
  std::vector<Series> right;  // as they are
  std::vector<std::vector<std::size_t>> by_place;
  VARVE_RETURN_IF_ERROR(each_operand(evaluation, *node.right, steps, [&](Series&& one) -> Status {
    VARVE_ASSIGN_OR_RETURN(const std::size_t place, keys.place(one.labels));
    if (place == by_place.size()) by_place.emplace_back();
    by_place[place].push_back(right.size());
    right.push_back(std::move(one));
    return {};
  }));
  const bool scalar_fills_all = node.right->type == ValueType::scalar && !right.empty();
  bool any = false;
  VARVE_RETURN_IF_ERROR(each_operand(evaluation, *node.left, steps, [&](Series&& one) -> Status {
    any = true;
    VARVE_RETURN_IF_ERROR(evaluation.spend(steps.count()));
    const std::size_t place = scalar_fills_all ? 0 : keys.find(one.labels);
    if (place != KeyedSeries::kNone) {
      for (const std::size_t i : by_place[place]) fill_gaps(one.points, right[i].points);
    }
    return sink(std::move(one));
  }));
  if (any) return {};
  for (Series& one : right) VARVE_RETURN_IF_ERROR(sink(std::move(one)));
  return {};
}

}  // namespace varve::language::promql
