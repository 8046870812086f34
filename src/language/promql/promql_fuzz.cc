// SPDX-License-Identifier: Apache-2.0
// Any text gives a tree whose text gives the same tree, or an error that says where and what.
#include <string>

#include "base/check.h"
#include "language/promql/duration.h"
#include "language/promql/parser.h"
#include "language/promql/print.h"

namespace promql = varve::language::promql;
using varve::check;

namespace {

void check_error(const varve::Error& error) {
  check(error.code == varve::Code::invalid, "what users write is invalid");
  check(error.message.contains(": parse error: "), "an error says something");
}

void check_tree(promql::Expression& tree, std::string_view text) {
  check(tree.at.from < tree.at.to && tree.at.to <= text.size(), "a tree is somewhere in its text");
  const std::string line = promql::one_line(tree);
  const auto again = promql::parse(line);
  check(again.has_value() && promql::one_line(**again) == line, "a printed tree parses to the same one");
  const auto from_lines = promql::parse(promql::pretty(tree));
  check(from_lines.has_value() && promql::one_line(**from_lines) == line, "lines parse to the same one");
  check((*again)->type == tree.type && (*from_lines)->type == tree.type, "of the same type");
  const auto resolved = promql::resolve_durations(tree, {.step_ms = 15'000, .range_ms = 3'600'000}, text);
  if (!resolved) check_error(resolved.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  varve::query::Expressions expressions;
  if (const auto selector = promql::parse_selector(text, expressions); !selector) check_error(selector.error());
  const auto strict = promql::parse(text, {.strict = true});
  const auto tree = promql::parse(text);
  if (!strict) check_error(strict.error());
  if (!tree) {
    check_error(tree.error());
    check(!strict.has_value(), "what is PromQL is also PromQL with words of MetricsQL");
    return 0;
  }
  if (strict) check(promql::one_line(**strict) == promql::one_line(**tree), "it is the same then");
  check_tree(**tree, text);
  return 0;
}
