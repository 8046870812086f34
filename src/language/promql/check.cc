// SPDX-License-Identifier: Apache-2.0
#include "language/promql/check.h"

#include <algorithm>
#include <string>
#include <variant>

#include "language/promql/lexer.h"
#include "language/promql/literal.h"
#include "language/promql/names.h"

namespace varve::language::promql {
namespace {

bool is_scalar_or_vector(ValueType type) { return type == ValueType::scalar || type == ValueType::vector; }

// The range selector that an argument is, also within parentheses; null: it is none.
const MatrixSelector* range_selector_of(const Expression& argument) {
  const Expression* one = &argument;
  while (const auto* const parentheses = std::get_if<Parentheses>(&one->node)) one = parentheses->inner.get();
  return std::get_if<MatrixSelector>(&one->node);
}

bool takes_extension(FunctionId function, RangeExtension extension) {
  switch (function) {
    case FunctionId::rate:
    case FunctionId::increase:
    case FunctionId::delta: return true;
    case FunctionId::changes:
    case FunctionId::resets: return extension == RangeExtension::anchored;
    default: return false;
  }
}

// Operands before what has them, from left to right: so errors are told in this order.
class TypeChecker {
 public:
  explicit TypeChecker(std::string_view text) : text_(text) {}

  Status tree(Expression& one) const {
    VARVE_ASSIGN_OR_RETURN(one.type, std::visit([&](auto& node) { return this->type_of(one, node); }, one.node));
    return {};
  }

 private:
  [[nodiscard]] std::unexpected<Error> error(Span at, const std::string& what) const {
    return error_at(text_, at.from, what);
  }

  Status expect(Expression& one, ValueType wanted, const std::string& within) const {
    VARVE_RETURN_IF_ERROR(tree(one));
    if (one.type == wanted) return {};
    return error(one.at, "expected type " + std::string(name_of(wanted)) + " in " + within + ", got " +
                             std::string(name_of(one.type)));
  }

  Result<ValueType> type_of(const Expression&, const NumberLiteral&) const { return ValueType::scalar; }
  Result<ValueType> type_of(const Expression&, const StringLiteral&) const { return ValueType::string; }

  Result<ValueType> type_of(const Expression& one, const VectorSelector& selector) const {
    VARVE_RETURN_IF_ERROR(check_selector(one, selector));
    return ValueType::vector;
  }
  Result<ValueType> type_of(const Expression& one, const MatrixSelector& matrix) const {
    VARVE_RETURN_IF_ERROR(check_selector(one, matrix.selector));
    return ValueType::matrix;
  }
  Status check_selector(const Expression& one, const VectorSelector& selector) const {
    VARVE_RETURN_IF_ERROR(check_names(selector, one.at, text_));
    if (selector.may_select_all || has_matcher_of_something(selector.matchers)) return {};
    return error(one.at, "vector selector must contain at least one non-empty matcher");
  }

  Result<ValueType> type_of(const Expression& one, const Subquery& subquery) const {
    VARVE_RETURN_IF_ERROR(tree(*subquery.inner));
    const ValueType type = subquery.inner->type;
    if (type == ValueType::vector) return ValueType::matrix;
    const std::string_view name = type == ValueType::matrix ? "matrix" : name_of(type);
    return error(one.at, "subquery is only allowed on instant vector, got " + std::string(name) + " instead");
  }

  Result<ValueType> type_of(const Expression&, const Parentheses& parentheses) const {
    VARVE_RETURN_IF_ERROR(tree(*parentheses.inner));
    return parentheses.inner->type;
  }

  Result<ValueType> type_of(const Expression& one, const Unary& unary) const {
    VARVE_RETURN_IF_ERROR(tree(*unary.inner));
    const ValueType type = unary.inner->type;
    if (is_scalar_or_vector(type)) return type;
    return error(one.at, "unary expression only allowed on expressions of type scalar or instant vector, got " +
                             quoted(name_of(type)));
  }

  Result<ValueType> type_of(const Expression& one, Binary& binary) const {
    VARVE_RETURN_IF_ERROR(tree(*binary.left));
    VARVE_RETURN_IF_ERROR(tree(*binary.right));
    const ValueType left = binary.left->type, right = binary.right->type;
    const bool scalars = left == ValueType::scalar && right == ValueType::scalar;
    VARVE_RETURN_IF_ERROR(check_bool(binary, scalars));
    VARVE_RETURN_IF_ERROR(check_labels(one, binary.matching));
    for (const Expression* const side : {binary.left.get(), binary.right.get()}) {
      if (is_scalar_or_vector(side->type)) continue;
      return error(side->at, "binary expression must contain only scalar and instant vector types");
    }
    VARVE_RETURN_IF_ERROR(check_sides(one, binary, left == ValueType::vector && right == ValueType::vector));
    return scalars ? ValueType::scalar : ValueType::vector;
  }

  Status check_bool(const Binary& binary, bool scalars) const {
    const Span at = operator_place(binary);
    if (binary.returns_bool && !is_comparison(binary.op)) {
      return error(at, "bool modifier can only be used on comparison operators");
    }
    if (is_comparison(binary.op) && !binary.returns_bool && scalars) {
      return error(at, "comparisons between scalars must use BOOL modifier");
    }
    return {};
  }

  // Blanks and comments may stand between the left side and the operator.
  [[nodiscard]] Span operator_place(const Binary& binary) const {
    std::size_t at = binary.left->at.to;
    while (at < binary.right->at.from) {
      if (text_[at] == '#') {
        at = std::min(text_.find('\n', at), text_.size());
      } else if (std::string_view(" \t\r\n").contains(text_[at])) {
        ++at;
      } else {
        break;
      }
    }
    return {at, at};
  }

  Status check_labels(const Expression& one, const Matching& matching) const {
    if (!matching.on) return {};
    for (const std::string& label : matching.labels) {
      if (std::ranges::find(matching.include, label) == matching.include.end()) continue;
      return error(one.at, "label " + quoted(label) + " must not occur in ON and GROUP clause at once");
    }
    return {};
  }

  Status check_sides(const Expression& one, const Binary& binary, bool vectors) const {
    const std::string name = quoted(name_of(binary.op));
    if (!vectors && !binary.matching.labels.empty()) {
      return error(one.at, "vector matching only allowed between instant vectors");
    }
    if (!vectors && is_set_operator(binary.op)) {
      return error(one.at, "set operator " + name + " not allowed in binary scalar expression");
    }
    const bool no_group = is_set_operator(binary.op) || binary.op == BinaryOp::default_to;
    if (no_group && binary.matching.group != Matching::Group::none) {
      return error(one.at, "no grouping allowed for " + name + " operation");
    }
    return {};
  }

  Result<ValueType> type_of(const Expression&, const Aggregation& aggregation) const {
    VARVE_RETURN_IF_ERROR(expect(*aggregation.inner, ValueType::vector, "aggregation expression"));
    if (aggregation.parameter) {
      const bool label = aggregation.op == AggregationOp::count_values;
      VARVE_RETURN_IF_ERROR(
          expect(*aggregation.parameter, label ? ValueType::string : ValueType::scalar, "aggregation parameter"));
    }
    return ValueType::vector;
  }

  Result<ValueType> type_of(const Expression& one, Call& call) const {
    const Function& function = function_of(call.function);
    VARVE_RETURN_IF_ERROR(check_count(one, function, call.arguments.size()));
    if (function.id == FunctionId::info && call.arguments.size() > 1) {
      VARVE_RETURN_IF_ERROR(check_data_labels(*call.arguments[1]));
    }
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const ValueType wanted = function.arguments[std::min(i, function.arguments.size() - 1)];
      VARVE_RETURN_IF_ERROR(expect(*call.arguments[i], wanted, "call to function " + quoted(function.name)));
      VARVE_RETURN_IF_ERROR(check_extension(*call.arguments[i], function));
    }
    return function.result;
  }

  Status check_count(const Expression& one, const Function& function, std::size_t count) const {
    const auto wrong = [&](const std::string& bound, std::size_t expected) {
      return error(one.at, "expected " + bound + std::to_string(expected) + " argument(s) in call to " +
                               quoted(function.name) + ", got " + std::to_string(count));
    };
    const bool exact = function.required == function.most;
    if (count < function.required) return wrong(exact ? "" : "at least ", function.required);
    if (count > function.most) return wrong(exact ? "" : "at most ", function.most);
    if (function.id == FunctionId::label_set && count % 2 == 0) {
      return error(one.at, "expected a value behind each label in call to \"label_set\"");
    }
    return {};
  }

  // {a="b"}: matchers, but no selector.
  Status check_data_labels(Expression& argument) const {
    auto* const selector = std::get_if<VectorSelector>(&argument.node);
    if (selector == nullptr)
      return error(argument.at, "expected label selectors as the second argument to \"info\" function");
    if (!selector->name.empty())
      return error(argument.at, "expected label selectors only, got vector selector instead");
    selector->may_select_all = true;
    return {};
  }

  Status check_extension(const Expression& argument, const Function& function) const {
    const MatrixSelector* const range = range_selector_of(argument);
    if (range == nullptr) return {};
    const RangeExtension extension = range->selector.extension;
    if (extension == RangeExtension::none || takes_extension(function.id, extension)) return {};
    const bool smoothed = extension == RangeExtension::smoothed;
    return error(argument.at, std::string(smoothed ? "smoothed" : "anchored") + " modifier can only be used with: " +
                                  (smoothed ? "delta, increase, rate" : "changes, delta, increase, rate, resets") +
                                  " - not with " + std::string(function.name));
  }

  std::string_view text_;
};

}  // namespace

Status check_types(Expression& root, std::string_view text) { return TypeChecker(text).tree(root); }

Status check_names(const VectorSelector& selector, Span at, std::string_view text) {
  if (selector.name.empty()) return {};
  for (const Matcher& matcher : selector.matchers) {  // the last one is that of the name
    if (matcher.name != kNameLabel || &matcher == &selector.matchers.back()) continue;
    return error_at(text, at.from,
                    "metric name must not be set twice: " + quoted(selector.name) + " or " + quoted(matcher.value));
  }
  return {};
}

bool has_matcher_of_something(const std::vector<Matcher>& matchers) {
  return std::ranges::any_of(matchers, [](const Matcher& one) { return !one.matches(""); });
}

}  // namespace varve::language::promql
