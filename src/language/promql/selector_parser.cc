// SPDX-License-Identifier: Apache-2.0
#include "language/promql/selector_parser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace varve::language::promql {
namespace {

using Kind = Token::Kind;

constexpr std::string_view kInMatching = "label matching", kInGrouping = "grouping opts";

std::optional<MatchOp> match_op_of(const Token& token) {
  if (token.kind != Kind::sign) return std::nullopt;
  if (token.text == "=") return MatchOp::equal;
  if (token.text == "!=") return MatchOp::not_equal;
  if (token.text == "=~") return MatchOp::regex;
  if (token.text == "!~") return MatchOp::not_regex;
  return std::nullopt;
}

Result<Regex> compiled(TokenReader& tokens, const std::string& text, std::size_t at) {
  const auto counted = tokens.expressions().count(text);
  auto regex = counted ? tokens.expressions().compile(text) : fail(counted.error());
  if (!regex) return tokens.error(at, "error parsing regexp: " + regex.error().message);
  return regex;
}

// a="b", or a name in quotes alone.
Result<Matcher> read_matcher(TokenReader& tokens) {
  const bool named = tokens.is(Kind::word) || (tokens.is(Kind::string) && !tokens.peek().value.empty());
  if (!named) return tokens.unexpected(kInMatching, "identifier or \"}\"");
  const Token& name = tokens.take();
  const auto op = match_op_of(tokens.peek());
  if (!op && name.kind == Kind::string) return Matcher{std::string(kNameLabel), MatchOp::equal, name.value};
  if (!op) return tokens.unexpected(kInMatching, "label matching operator");
  tokens.take();
  if (!tokens.is(Kind::string)) return tokens.unexpected(kInMatching, "string");
  Matcher out{name.kind == Kind::string ? name.value : std::string(name.text), *op, tokens.take().value};
  if (out.op == MatchOp::regex || out.op == MatchOp::not_regex) {
    VARVE_ASSIGN_OR_RETURN(out.regex, compiled(tokens, out.value, name.at.from));
  }
  return out;
}

}  // namespace

Result<VectorSelector> read_vector_selector(TokenReader& tokens) {
  VectorSelector out;
  if (tokens.is(Kind::word)) out.name = tokens.take().text;
  if (tokens.take_sign("{")) {
    while (!tokens.take_sign("}")) {
      VARVE_ASSIGN_OR_RETURN(Matcher matcher, read_matcher(tokens));
      out.matchers.push_back(std::move(matcher));
      if (!tokens.is_sign("}") && !tokens.take_sign(",")) return tokens.unexpected(kInMatching, "\",\" or \"}\"");
    }
  }
  if (!out.name.empty()) out.matchers.push_back({std::string(kNameLabel), MatchOp::equal, out.name});
  return out;
}

Result<std::vector<std::string>> read_labels(TokenReader& tokens) {
  if (!tokens.take_sign("(")) return tokens.unexpected(kInGrouping, "\"(\"");
  std::vector<std::string> out;
  while (!tokens.take_sign(")")) {
    const Token& label = tokens.peek();
    const bool plain = label.kind == Kind::word && !label.text.contains(':');
    if (!plain && (label.kind != Kind::string || label.value.empty())) return tokens.unexpected(kInGrouping, "label");
    tokens.take();
    out.emplace_back(plain ? label.text : std::string_view(label.value));
    if (!tokens.is_sign(")") && !tokens.take_sign(",")) return tokens.unexpected(kInGrouping, "\",\" or \")\"");
  }
  return out;
}

}  // namespace varve::language::promql
