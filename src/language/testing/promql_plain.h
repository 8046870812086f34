// SPDX-License-Identifier: Apache-2.0
// For tests: PromQL evaluated sample by sample, at one time, by the words of its documentation; to be compared with the
// real evaluation. It knows no columns, holds all of every range and looks at each sample of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "language/promql/annotations.h"
#include "language/promql/expression.h"
#include "language/promql/series.h"
#include "language/testing/promql_plain_ranges.h"
#include "language/testing/promql_source.h"

namespace varve::language::testing {

class PlainEvaluator {
 public:
  using Vector = std::vector<std::pair<promql::Labels, double>>;
  struct Range {
    promql::Labels labels;
    PlainSamples samples;
    PlainWindow window;
  };

  PlainEvaluator(const MemorySource& source, promql::Steps steps) : source_(source), steps_(steps) {}

  // Sorted by labels.
  Vector vector(const promql::Expression& e, std::int64_t t) {
    Vector out = std::visit([&](const auto& node) { return of(node, e, t); }, e.node);
    std::ranges::stable_sort(out, {}, &Vector::value_type::first);
    for (std::size_t i = 1; i < out.size(); ++i) failed_ = failed_ || out[i].first == out[i - 1].first;
    return out;
  }
  double scalar(const promql::Expression& e, std::int64_t t) {
    using namespace promql;
    if (const auto* const number = std::get_if<NumberLiteral>(&e.node)) return number->value;
    if (const auto* const inner = std::get_if<Parentheses>(&e.node)) return scalar(*inner->inner, t);
    if (const auto* const unary = std::get_if<Unary>(&e.node)) {
      return unary->negate ? -scalar(*unary->inner, t) : scalar(*unary->inner, t);
    }
    if (const auto* const both = std::get_if<Binary>(&e.node)) {
      return calculate(both->op, scalar(*both->left, t), scalar(*both->right, t)).second;
    }
    const auto& call = std::get<Call>(e.node);
    if (call.function == FunctionId::time) return static_cast<double>(t) / 1000;
    if (call.function == FunctionId::pi) return std::numbers::pi;
    const Vector one = vector(*call.arguments[0], t);
    return one.size() == 1 ? one[0].second : kNaN;
  }
  // Several series had the same labels, or a matching was not clear.
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  static constexpr std::int64_t kLookback = 300'000;

  std::int64_t look(const std::optional<promql::AtModifier>& at, std::int64_t offset, std::int64_t t) const {
    using Kind = promql::AtModifier::Kind;
    if (at) t = at->kind == Kind::time ? at->time_ms : at->kind == Kind::start ? steps_.start_ms : steps_.end_ms;
    return t - offset;
  }
  static bool matches(const promql::VectorSelector& selector, const promql::Labels& labels) {
    return std::ranges::all_of(selector.matchers,
                               [&](const auto& m) { return m.matches(promql::label_of(labels, m.name)); });
  }

  template <class Node>
  Vector of(const Node&, const promql::Expression&, std::int64_t) {
    failed_ = true;  // no vector
    return {};
  }
  Vector of(const promql::Parentheses& node, const promql::Expression&, std::int64_t t) {
    return vector(*node.inner, t);
  }
  Vector of(const promql::Unary& node, const promql::Expression&, std::int64_t t) {
    Vector out = vector(*node.inner, t);
    if (!node.negate) return out;
    for (auto& [labels, value] : out) promql::drop_name(labels), value = -value;
    return out;
  }
  Vector of(const promql::VectorSelector& node, const promql::Expression&, std::int64_t t) {
    const std::int64_t at = look(node.at, node.offset.ms, t);
    Vector out;
    for (const auto& series : source_.series()) {
      if (!matches(node, series.labels)) continue;
      std::size_t newest = SIZE_MAX;
      for (std::size_t i = 0; i < series.times.size(); ++i) {
        if (series.times[i] <= at && series.times[i] > at - kLookback) newest = i;
      }
      if (newest == SIZE_MAX || promql::is_stale(series.values[newest])) continue;
      out.emplace_back(series.labels, series.values[newest]);
    }
    return out;
  }

  std::vector<Range> ranges(const promql::Expression& e, std::int64_t t) {
    if (const auto* const inner = std::get_if<promql::Parentheses>(&e.node)) return ranges(*inner->inner, t);
    std::vector<Range> out;
    if (const auto* const node = std::get_if<promql::MatrixSelector>(&e.node)) {
      const std::int64_t to = look(node->selector.at, node->selector.offset.ms, t), from = to - node->range.ms;
      for (const auto& series : source_.series()) {
        if (!matches(node->selector, series.labels)) continue;
        Range range{series.labels, {}, {from, to, t}};
        for (std::size_t i = 0; i < series.times.size(); ++i) {
          if (series.times[i] <= from || series.times[i] > to || promql::is_stale(series.values[i])) continue;
          range.samples.emplace_back(series.times[i], series.values[i]);
        }
        if (!range.samples.empty()) out.push_back(std::move(range));
      }
      return out;
    }
    const auto& node = std::get<promql::Subquery>(e.node);
    const std::int64_t to = look(node.at, node.offset.ms, t), from = to - node.range.ms;
    const std::int64_t step = node.step ? node.step->ms : 60'000;
    std::map<promql::Labels, PlainSamples> found;
    for (std::int64_t at = from - from % step; at <= to; at += step) {
      if (at <= from) continue;
      for (auto& [labels, value] : vector(*node.inner, at)) found[labels].emplace_back(at, value);
    }
    for (auto& [labels, samples] : found) out.push_back({labels, samples, {from, to, t}});
    return out;
  }

  Vector of(const promql::Call& call, const promql::Expression&, std::int64_t t) {
    using Id = promql::FunctionId;
    std::vector<double> scalars;
    const promql::Expression *inner = nullptr, *matrix = nullptr;
    for (const auto& argument : call.arguments) {
      if (argument->type == promql::ValueType::scalar) scalars.push_back(scalar(*argument, t));
      if (argument->type == promql::ValueType::vector) inner = argument.get();
      if (argument->type == promql::ValueType::matrix) matrix = argument.get();
    }
    Vector out;
    if (matrix != nullptr) {
      for (const Range& range : ranges(*matrix, t)) {
        const auto value = plain_range_function(call.function, range.samples, range.window, scalars);
        if (!value) continue;
        out.emplace_back(range.labels, *value);
        const bool keeps = call.function == Id::last_over_time || call.function == Id::first_over_time;
        if (!keeps) promql::drop_name(out.back().first);
      }
      return out;
    }
    if (call.function == Id::vector) return {{{}, scalars[0]}};
    if (call.function == Id::absent) {
      return vector(*inner, t).empty() ? Vector{{promql::Labels{}, 1}} : Vector{};
    }
    for (auto& [labels, value] : vector(*inner, t)) {
      promql::drop_name(labels);
      out.emplace_back(labels, plain_function(call.function, value, scalars));
    }
    return out;
  }

  static double plain_function(promql::FunctionId function, double x, const std::vector<double>& scalars) {
    using Id = promql::FunctionId;
    switch (function) {
      case Id::abs: return std::fabs(x);
      case Id::ceil: return std::ceil(x);
      case Id::floor: return std::floor(x);
      case Id::sqrt: return std::sqrt(x);
      case Id::sgn: return std::isnan(x) ? x : static_cast<double>((x > 0) - (x < 0));
      case Id::clamp_min: return std::isnan(x) || std::isnan(scalars[0]) ? kNaN : std::max(x, scalars[0]);
      case Id::clamp_max: return std::isnan(x) || std::isnan(scalars[0]) ? kNaN : std::min(x, scalars[0]);
      default: return kNaN;
    }
  }

  // Does a comparison hold, and the result.
  static std::pair<bool, double> calculate(promql::BinaryOp op, double a, double b) {
    using Op = promql::BinaryOp;
    switch (op) {
      case Op::add: return {true, a + b};
      case Op::subtract: return {true, a - b};
      case Op::multiply: return {true, a * b};
      case Op::divide: return {true, a / b};
      case Op::modulo: return {true, std::fmod(a, b)};
      case Op::power: return {true, std::pow(a, b)};
      case Op::atan2: return {true, std::atan2(a, b)};
      case Op::equal: return {a == b, a};
      case Op::not_equal: return {a != b, a};
      case Op::less: return {a < b, a};
      case Op::more: return {a > b, a};
      case Op::at_most: return {a <= b, a};
      default: return {a >= b, a};
    }
  }

  static bool is_comparison(promql::BinaryOp op) {
    return op >= promql::BinaryOp::equal && op <= promql::BinaryOp::at_least;
  }
  static promql::Labels projected(const promql::Matching& matching, const promql::Labels& labels) {
    promql::Labels out;
    for (const auto& label : labels) {
      const bool listed = std::ranges::find(matching.labels, label.first) != matching.labels.end();
      if (matching.on ? listed : !listed && label.first != promql::kNameLabel) out.push_back(label);
    }
    return out;
  }

  Vector of(const promql::Binary& node, const promql::Expression&, std::int64_t t) {
    using Type = promql::ValueType;
    if (node.left->type == Type::vector && node.right->type == Type::vector) return of_vectors(node, t);
    const bool vector_left = node.left->type == Type::vector;
    const double number = scalar(vector_left ? *node.right : *node.left, t);
    Vector out;
    for (auto& [labels, value] : vector(vector_left ? *node.left : *node.right, t)) {
      const auto [holds, result] = vector_left ? calculate(node.op, value, number) : calculate(node.op, number, value);
      if (is_comparison(node.op) && !node.returns_bool) {
        if (holds) out.emplace_back(labels, value);
        continue;
      }
      promql::drop_name(labels);
      out.emplace_back(labels, is_comparison(node.op) ? static_cast<double>(holds) : result);
    }
    return out;
  }

  Vector of_vectors(const promql::Binary& node, std::int64_t t) {
    using Op = promql::BinaryOp;
    using Group = promql::Matching::Group;
    const Vector left = vector(*node.left, t), right = vector(*node.right, t);
    const auto same = [&](const auto& a, const auto& b) {
      return projected(node.matching, a.first) == projected(node.matching, b.first);
    };
    const auto has_partner = [&](const auto& one, const Vector& others) {
      return std::ranges::any_of(others, [&](const auto& other) { return same(one, other); });
    };
    Vector out;
    if (node.op == Op::set_and || node.op == Op::set_unless || node.op == Op::set_or) {
      for (const auto& one : left) {
        if (node.op == Op::set_or || has_partner(one, right) == (node.op == Op::set_and)) out.push_back(one);
      }
      for (const auto& one : right) {
        if (node.op == Op::set_or && !has_partner(one, left)) out.push_back(one);
      }
      return out;
    }
    const bool swapped = node.matching.group == Group::right;
    const Vector &many = swapped ? right : left, &ones = swapped ? left : right;
    if (many.empty() || ones.empty()) return out;
    for (const auto& a : ones) {
      failed_ = failed_ || std::ranges::count_if(ones, [&](const auto& b) { return same(a, b); }) > 1;
    }
    std::map<promql::Labels, int> results;
    for (const auto& one : many) {
      for (const auto& other : ones) {
        if (!same(one, other)) continue;
        const double a = swapped ? other.second : one.second, b = swapped ? one.second : other.second;
        const auto [holds, result] = calculate(node.op, a, b);
        if (is_comparison(node.op) && !node.returns_bool && !holds) continue;
        promql::Labels labels = node.matching.group == Group::none ? projected(node.matching, one.first) : one.first;
        const bool named = is_comparison(node.op) && !node.returns_bool && !node.matching.on;
        promql::set_label(labels, promql::kNameLabel, named ? promql::label_of(one.first, promql::kNameLabel) : "");
        for (const auto& name : node.matching.include) {
          promql::set_label(labels, name, promql::label_of(other.first, name));
        }
        const auto key = node.matching.group == Group::none ? projected(node.matching, one.first) : labels;
        failed_ = failed_ || results[key]++ > 0;
        out.emplace_back(labels, node.returns_bool ? static_cast<double>(holds) : result);
      }
    }
    return out;
  }

  Vector of(const promql::Aggregation& node, const promql::Expression&, std::int64_t t) {
    using Op = promql::AggregationOp;
    std::map<promql::Labels, Vector> groups;
    for (auto& one : vector(*node.inner, t)) {
      promql::Labels group;
      for (const auto& label : one.first) {
        const bool listed = std::ranges::find(node.labels, label.first) != node.labels.end();
        if (node.without ? !listed && label.first != promql::kNameLabel : listed) group.push_back(label);
      }
      groups[group].push_back(one);
    }
    const bool numeric = node.parameter != nullptr && node.parameter->type == promql::ValueType::scalar;
    const double parameter = numeric ? scalar(*node.parameter, t) : 0;
    Vector out;
    for (auto& [labels, members] : groups) {
      std::vector<double> values;
      for (const auto& member : members) values.push_back(member.second);
      if (node.op == Op::topk || node.op == Op::bottomk || node.op == Op::limitk) {
        if (node.op != Op::limitk) {
          std::ranges::stable_sort(members, [&](const auto& a, const auto& b) {
            if (std::isnan(a.second) || std::isnan(b.second)) return !std::isnan(a.second) && std::isnan(b.second);
            return node.op == Op::topk ? a.second > b.second : a.second < b.second;
          });
        }
        for (std::size_t i = 0; i < members.size() && static_cast<double>(i) < parameter; ++i)
          out.push_back(members[i]);
      } else if (node.op == Op::count_values) {
        std::map<std::string, double> counts;
        for (const double value : values) ++counts[promql::plain_text_of_number(value)];
        for (const auto& [text, count] : counts) {
          promql::Labels counted = labels;
          promql::set_label(counted, std::get<promql::StringLiteral>(node.parameter->node).value, text);
          out.emplace_back(counted, count);
        }
      } else {
        out.emplace_back(labels, aggregated(node.op, values, parameter));
      }
    }
    return out;
  }

  static double aggregated(promql::AggregationOp op, const std::vector<double>& values, double parameter) {
    using Op = promql::AggregationOp;
    switch (op) {
      case Op::sum: return plain_sum(values);
      case Op::avg: return plain_sum(values) / static_cast<double>(values.size());
      case Op::count: return static_cast<double>(values.size());
      case Op::group: return 1;
      case Op::min: return plain_best(values, std::less<>());
      case Op::max: return plain_best(values, std::greater<>());
      case Op::stdvar: return plain_variance(values);
      case Op::stddev: return std::sqrt(plain_variance(values));
      default: return plain_quantile(parameter, values);
    }
  }

  const MemorySource& source_;
  const promql::Steps steps_;
  bool failed_ = false;
};

}  // namespace varve::language::testing
