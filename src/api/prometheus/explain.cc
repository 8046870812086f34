// SPDX-License-Identifier: Apache-2.0
#include "api/prometheus/explain.h"

#include <algorithm>
#include <string>
#include <variant>

#include "language/promql/names.h"
#include "language/promql/print.h"

namespace varve::api {
namespace {

namespace promql = language::promql;
using protocol::json::Writer;

double seconds_of(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

std::uint64_t samples_of(const PrometheusCosts& costs) {
  std::uint64_t out = 0;
  for (const promql::SelectorRead& read : costs.reads) out += read.samples;
  return out;
}

void write_stats(Writer& json, const PrometheusCosts& costs) {
  std::int64_t read_ns = 0;
  for (const promql::SelectorRead& read : costs.reads) read_ns += read.ns;
  json.begin_object().key("timings").begin_object();
  json.member("evalTotalTime", seconds_of(costs.evaluation_ns)).member("resultSortTime", 0);
  json.member("queryPreparationTime", seconds_of(read_ns));
  json.member("innerEvalTime", seconds_of(std::max<std::int64_t>(costs.evaluation_ns - read_ns, 0)));
  json.member("execQueueTime", 0).member("execTotalTime", seconds_of(costs.execution_ns));
  json.end_object().key("samples").begin_object();
  json.member("totalQueryableSamples", samples_of(costs)).member("peakSamples", samples_of(costs));
  json.end_object().end_object();
}

// Writes an expression with those within it. The tree's height is bounded by the parser.
class Explanation {
 public:
  Explanation(Writer& json, const PrometheusCosts& costs) : json_(json), costs_(costs) {}

  void add(const promql::Expression& one) {
    std::visit([&](const auto& node) { add(one, node); }, one.node);
  }

 private:
  void add(const promql::Expression& one, const promql::VectorSelector& node) { add_selector(one, node); }
  void add(const promql::Expression& one, const promql::MatrixSelector& node) { add_selector(one, node.selector); }
  void add(const promql::Expression&, const promql::Parentheses& node) { add(*node.inner); }
  void add(const promql::Expression& one, const promql::NumberLiteral&) { add_literal(one); }
  void add(const promql::Expression& one, const promql::StringLiteral&) { add_literal(one); }
  void add(const promql::Expression&, const promql::Subquery& node) { add_inner("subquery", {node.inner.get()}); }
  void add(const promql::Expression&, const promql::Unary& node) {
    add_inner(node.negate ? "-" : "+", {node.inner.get()});
  }
  void add(const promql::Expression&, const promql::Binary& node) {
    add_inner(promql::name_of(node.op), {node.left.get(), node.right.get()});
  }
  void add(const promql::Expression&, const promql::Aggregation& node) {
    add_inner(promql::name_of(node.op), {node.parameter.get(), node.inner.get()});
  }
  void add(const promql::Expression&, const promql::Call& node) {
    std::vector<const promql::Expression*> arguments;
    for (const promql::ExpressionPtr& argument : node.arguments) arguments.push_back(argument.get());
    add_inner(promql::function_of(node.function).name, arguments);
  }

  void add_literal(const promql::Expression& one) {
    json_.begin_object().member("literal", promql::one_line(one)).end_object();
  }
  void add_inner(std::string_view operation, const std::vector<const promql::Expression*>& children) {
    json_.begin_object().member("operation", operation).key("children").begin_array();
    for (const promql::Expression* child : children) {
      if (child != nullptr) add(*child);
    }
    json_.end_array().end_object();
  }
  void add_selector(const promql::Expression& one, const promql::VectorSelector& node) {
    const auto at = std::ranges::find(costs_.reads, node.matchers.data(), &promql::SelectorRead::matchers);
    const promql::SelectorRead read = at == costs_.reads.end() ? promql::SelectorRead() : *at;
    json_.begin_object().member("selector", promql::one_line(one)).member("series", read.series);
    json_.member("samples", read.samples).member("bytes", read.bytes);
    json_.member("milliseconds", static_cast<double>(read.ns) / 1e6);
    json_.member("read", "samples").end_object();  // neither rollups nor statistics, so far
  }

  Writer& json_;
  const PrometheusCosts& costs_;
};

}  // namespace

void write_prometheus_costs(Writer& json, const promql::Expression& root, const PrometheusCosts& costs) {
  if (costs.stats) {
    json.key("stats");
    write_stats(json, costs);
  }
  if (costs.explain) {
    json.key("explain");
    Explanation(json, costs).add(root);
  }
}

}  // namespace varve::api
