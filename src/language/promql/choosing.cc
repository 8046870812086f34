// SPDX-License-Identifier: Apache-2.0
// Aggregations that choose some of the series of each group: topk, bottomk, limitk, limit_ratio.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "codec/hash.h"
#include "language/promql/families.h"
#include "language/promql/grouping.h"

namespace varve::language::promql {
namespace {

struct Ranked {
  double value = 0;
  std::size_t member = 0;
};

// NaN comes last, whichever end is asked for; of equal ones the series that came first.
struct RanksBefore {
  bool largest = false;

  bool operator()(const Ranked& a, const Ranked& b) const {
    if (std::isnan(a.value) || std::isnan(b.value)) {
      return std::isnan(a.value) == std::isnan(b.value) ? a.member < b.member : std::isnan(b.value);
    }
    if (a.value != b.value) return largest ? a.value > b.value : a.value < b.value;
    return a.member < b.member;
  }
};

// Series of one group that are chosen from; those of others are not looked at.
class Choice {
 public:
  Choice(Evaluation& evaluation, const Aggregation& node, const Steps& steps)
      : evaluation_(evaluation), node_(node), steps_(steps) {}

  Status read_parameter();
  [[nodiscard]] const Column& parameter() const { return parameter_; }
  // Removes the points that are not chosen. The order of the members is that of their values if that is an answer's.
  Status choose_of(std::vector<Series>& members);

 private:
  [[nodiscard]] std::size_t count_at(std::size_t step) const {
    return parameter_[step] < 1 ? 0 : static_cast<std::size_t>(std::min(parameter_[step], 1e15));
  }
  void choose_ranked(std::vector<Series>& members, std::size_t step);
  void choose_first(std::vector<Series>& members, std::size_t step) const;

  Evaluation& evaluation_;
  const Aggregation& node_;
  const Steps& steps_;
  Column parameter_;
  std::vector<Ranked> ranked_;  // of the last step
};

Status Choice::read_parameter() {
  VARVE_ASSIGN_OR_RETURN(parameter_, evaluation_.scalar(*node_.parameter, steps_));
  for (std::size_t step = 0; step < parameter_.size(); ++step) {
    const double value = parameter_[step];
    if (node_.op == AggregationOp::limit_ratio) {
      if (std::isnan(value)) return fail(Code::invalid, "Ratio value is NaN");
      const double capped = std::clamp(value, -1.0, 1.0);
      if (capped != value) {
        evaluation_.annotations().warn("ratio value should be between -1 and 1, got " + text_of_number(value) +
                                           ", capping to " + text_of_number(capped),
                                       node_.parameter->at);
      }
      parameter_.set(step, capped);
    } else if (std::isnan(value)) {
      return fail(Code::invalid, "Parameter value is NaN");
    } else if (value >= 9223372036854775808.0 || value < -9223372036854775808.0) {
      return fail(Code::invalid, "Scalar value " + text_of_number(value) + " overflows int64");
    }
  }
  return {};
}

void Choice::choose_ranked(std::vector<Series>& members, std::size_t step) {
  ranked_.clear();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].points.has(step)) ranked_.push_back({members[i].points[step], i});
  }
  const std::size_t kept = std::min(count_at(step), ranked_.size());
  const auto middle = ranked_.begin() + static_cast<std::ptrdiff_t>(kept);
  std::partial_sort(ranked_.begin(), middle, ranked_.end(), RanksBefore{node_.op == AggregationOp::topk});
  for (auto at = middle; at != ranked_.end(); ++at) members[at->member].points.clear(step);
  ranked_.erase(middle, ranked_.end());
}

void Choice::choose_first(std::vector<Series>& members, std::size_t step) const {
  std::size_t left = count_at(step);
  for (Series& member : members) {
    if (!member.points.has(step)) continue;
    if (left == 0) {
      member.points.clear(step);
    } else {
      --left;
    }
  }
}

Status Choice::choose_of(std::vector<Series>& members) {
  const bool ranks = node_.op != AggregationOp::limitk;
  for (std::size_t step = 0; step < steps_.count(); ++step) {
    VARVE_RETURN_IF_ERROR(evaluation_.spend(members.size()));
    if (ranks) {
      choose_ranked(members, step);
    } else {
      choose_first(members, step);
    }
  }
  if (!ranks || steps_.count() != 1) return {};
  std::vector<Series> ordered;
  for (const Ranked& one : ranked_) ordered.push_back(std::move(members[one.member]));
  members = std::move(ordered);
  return {};
}

// A number from 0 to 1 for each label set, the one that Prometheus makes of it: lengths are a byte, or 255 and three
// more.
double share_of(const Labels& labels) {
  std::string key;
  const auto append = [&](std::string_view text) {
    const bool is_short = text.size() < 255;
    key += static_cast<char>(is_short ? text.size() : 255);
    for (int shift = 0; !is_short && shift < 24; shift += 8) key += static_cast<char>(text.size() >> shift);
    key += text;
  };
  for (const auto& [name, value] : labels) append(name), append(value);
  return static_cast<double>(codec::xxh64(key)) / 18446744073709551616.0;
}

Status choose_share(Evaluation& evaluation, const Aggregation& node, const Column& ratio, const Steps& steps,
                    const SeriesSink& sink) {
  return evaluation.each(*node.inner, steps, [&](Series&& one) -> Status {
    VARVE_RETURN_IF_ERROR(evaluation.spend(steps.count()));
    const double share = share_of(one.labels);
    one.points.each([&](std::size_t step) {
      const bool chosen = ratio[step] >= 0 ? share < ratio[step] : share >= 1 + ratio[step];
      if (!chosen) one.points.clear(step);
    });
    return one.points.empty() ? Status{} : sink(std::move(one));
  });
}

}  // namespace

Status choose(Evaluation& evaluation, const Aggregation& node, const Steps& steps, const SeriesSink& sink) {
  Choice choice(evaluation, node, steps);
  VARVE_RETURN_IF_ERROR(choice.read_parameter());
  if (node.op == AggregationOp::limit_ratio) return choose_share(evaluation, node, choice.parameter(), steps, sink);
  Grouping grouping(evaluation, node);
  std::vector<std::vector<Series>> groups;
  VARVE_RETURN_IF_ERROR(evaluation.each(*node.inner, steps, [&](Series&& one) -> Status {
    VARVE_ASSIGN_OR_RETURN(const std::size_t at, grouping.group_of(one.labels));
    if (at == groups.size()) groups.emplace_back();
    groups[at].push_back(std::move(one));
    return {};
  }));
  for (std::vector<Series>& members : groups) {
    // The source may give series in any order: which of equal ones is chosen must not depend on it.
    std::ranges::sort(members, {}, &Series::labels);
    VARVE_RETURN_IF_ERROR(choice.choose_of(members));
    for (Series& member : members) {
      if (!member.points.empty()) VARVE_RETURN_IF_ERROR(sink(std::move(member)));
    }
  }
  return {};
}

}  // namespace varve::language::promql
