// SPDX-License-Identifier: Apache-2.0
#include "language/logql/log_parser.h"

#include <algorithm>
#include <array>
#include <utility>

#include "language/logql/parser.h"

namespace varve::language::logql {
namespace {

using Kind = Token::Kind;

constexpr std::array<std::pair<std::string_view, MatchOp>, 4> kMatchOps{
    {{"=", MatchOp::equal}, {"!=", MatchOp::not_equal}, {"=~", MatchOp::regex}, {"!~", MatchOp::not_regex}}};
constexpr std::array<std::pair<std::string_view, MatchOp>, 4> kLineOps{
    {{"|=", MatchOp::equal}, {"!=", MatchOp::not_equal}, {"|~", MatchOp::regex}, {"!~", MatchOp::not_regex}}};
constexpr std::array<std::pair<std::string_view, CompareOp>, 7> kCompareOps{{{"=", CompareOp::equal},
                                                                             {"==", CompareOp::equal},
                                                                             {"!=", CompareOp::not_equal},
                                                                             {"<", CompareOp::less},
                                                                             {"<=", CompareOp::at_most},
                                                                             {">", CompareOp::more},
                                                                             {">=", CompareOp::at_least}}};
// Stages of Loki that are not here.
constexpr std::array<std::string_view, 9> kOtherStages{
    "regexp", "pattern", "unpack", "line_format", "label_format", "decolorize", "unwrap", "distinct", "sample"};

template <class Ops>
auto find_op(const Ops& ops, const Token& token) {
  return std::ranges::find_if(ops,
                              [&](const auto& one) { return token.kind == Kind::sign && token.text == one.first; });
}

std::unexpected<Error> no_expression(const TokenReader& tokens, const Token& token, const Error& error) {
  return tokens.error(token, "error parsing regexp: " + error.message);
}

Result<Regex> compile(TokenReader& tokens, const Token& token) {
  const auto counted = tokens.expressions().count(token.text);
  if (!counted) return no_expression(tokens, token, counted.error());
  auto regex = tokens.expressions().compile(token.text);
  if (!regex) return no_expression(tokens, token, regex.error());
  return regex;
}

// Found anywhere in a line. A dot of a line's expression matches no line break, as in Go.
Result<LineFilter::Expression> compile_of_line(TokenReader& tokens, const Token& token) {
  const auto checked = tokens.expressions().check(token.text);
  if (!checked) return no_expression(tokens, token, checked.error());
  std::string text = "(?s:.*)(?-s:" + token.text + ")(?s:.*)";
  auto regex = tokens.expressions().compile(text);
  if (!regex) return no_expression(tokens, token, regex.error());
  return LineFilter::Expression{std::move(text), std::move(*regex)};
}

bool is_regex(MatchOp op) { return op == MatchOp::regex || op == MatchOp::not_regex; }

// op "value": the name was read.
Result<Matcher> read_matcher(TokenReader& tokens, std::string name) {
  const auto op = find_op(kMatchOps, tokens.peek());
  if (op == kMatchOps.end()) return tokens.unexpected("= or != or =~ or !~");
  tokens.take();
  const Token& value = tokens.peek();
  if (value.kind != Kind::string) return tokens.unexpected("STRING");
  tokens.take();
  Matcher out{std::move(name), op->second, value.text, std::nullopt};
  if (is_regex(out.op)) {
    VARVE_ASSIGN_OR_RETURN(out.regex, compile(tokens, value));
  }
  return out;
}

Result<LineFilter> read_line_filter(TokenReader& tokens, MatchOp op) {
  tokens.take();
  LineFilter out{op, {}, {}};
  do {
    if (tokens.is_word("ip") && tokens.is_sign("(", 1))
      return tokens.unsupported(tokens.peek(), "the line filter ip()");
    const Token& text = tokens.peek();
    if (text.kind != Kind::string) return tokens.unexpected("STRING");
    if (is_regex(op)) {
      VARVE_ASSIGN_OR_RETURN(out.expressions.emplace_back(), compile_of_line(tokens, text));
    }
    out.any.push_back(tokens.take().text);
  } while (tokens.take_word("or"));
  return out;
}

class LabelFilterParser {
 public:
  explicit LabelFilterParser(TokenReader& tokens) : tokens_(tokens) {}

  Result<LabelFilter> any(std::size_t depth) {
    return joined(LabelFilter::Kind::any, [&] { return tokens_.take_word("or"); }, [&] { return all(depth); });
  }

 private:
  Result<LabelFilter> all(std::size_t depth) {
    const auto more = [&] { return tokens_.take_word("and") || tokens_.take_sign(","); };
    return joined(LabelFilter::Kind::all, more, [&] { return one(depth); });
  }

  template <class More, class Read>
  Result<LabelFilter> joined(LabelFilter::Kind kind, const More& more, const Read& read) {
    VARVE_ASSIGN_OR_RETURN(LabelFilter first, read());
    if (!more()) return first;
    LabelFilter out;
    out.kind = kind;
    out.parts.push_back(std::move(first));
    do {
      VARVE_ASSIGN_OR_RETURN(LabelFilter next, read());
      out.parts.push_back(std::move(next));
    } while (more());
    return out;
  }

  Result<LabelFilter> one(std::size_t depth) {
    if (tokens_.is_sign("(")) {
      if (depth >= kDepthMax) return tokens_.error(tokens_.peek(), "too many parentheses");
      tokens_.take();
      VARVE_ASSIGN_OR_RETURN(LabelFilter inner, any(depth + 1));
      VARVE_RETURN_IF_ERROR(tokens_.expect_sign(")"));
      return inner;
    }
    VARVE_ASSIGN_OR_RETURN(std::string name, tokens_.expect(Kind::identifier, "IDENTIFIER"));
    if (tokens_.peek(1).kind == Kind::string) {
      LabelFilter out;
      out.kind = LabelFilter::Kind::text;
      VARVE_ASSIGN_OR_RETURN(out.text, read_matcher(tokens_, std::move(name)));
      return out;
    }
    return number(std::move(name));
  }

  Result<LabelFilter> number(std::string name) {
    LabelFilter out;
    out.name = std::move(name);
    const auto op = find_op(kCompareOps, tokens_.peek());
    if (op == kCompareOps.end()) {
      if (find_op(kMatchOps, tokens_.peek()) == kMatchOps.end()) return tokens_.unexpected("a comparison");
      tokens_.take();
      return tokens_.unexpected("STRING");
    }
    tokens_.take();
    out.compare = op->second;
    if (tokens_.is_word("ip") && tokens_.is_sign("(", 1)) {
      return tokens_.unsupported(tokens_.peek(), "the label filter ip()");
    }
    const double sign = tokens_.take_sign("-") ? -1 : 1;
    switch (tokens_.peek().kind) {
      case Kind::number: out.kind = LabelFilter::Kind::number; break;
      case Kind::duration: out.kind = LabelFilter::Kind::duration; break;
      case Kind::bytes: out.kind = LabelFilter::Kind::bytes; break;
      default: return tokens_.unexpected("STRING or NUMBER or DURATION or BYTES");
    }
    out.bound = sign * tokens_.take().value;
    return out;
  }

  TokenReader& tokens_;
};

Result<std::vector<std::string>> read_names(TokenReader& tokens, std::string_view stage) {
  std::vector<std::string> out;
  do {
    const Token& token = tokens.peek();
    VARVE_ASSIGN_OR_RETURN(std::string name, tokens.expect(Kind::identifier, "IDENTIFIER"));
    if (find_op(kMatchOps, tokens.peek()) != kMatchOps.end()) {
      return tokens.unsupported(token, std::string(stage) + " with a condition");
    }
    out.push_back(std::move(name));
  } while (tokens.take_sign(","));
  return out;
}

// | json: nothing may follow that changes what it does.
Status check_plain_parser(TokenReader& tokens, std::string_view stage) {
  if (tokens.is_sign("--")) return tokens.unsupported(tokens.peek(), "a flag of " + std::string(stage));
  if (tokens.peek().kind == Kind::identifier && (tokens.is_sign("=", 1) || tokens.is_sign(",", 1))) {
    return tokens.unsupported(tokens.peek(), std::string(stage) + " with expressions");
  }
  return {};
}

// Behind the bar.
Result<Stage> read_stage(TokenReader& tokens) {
  Stage out;
  const Token& token = tokens.peek();
  if (token.kind == Kind::identifier) {  // these words are no names of labels, whatever stands behind them
    if (std::ranges::find(kOtherStages, token.text) != kOtherStages.end()) {
      return tokens.unsupported(token, "the stage '" + token.text + "'");
    }
    if (token.text == "json" || token.text == "logfmt") {
      out.kind = tokens.take().text == "json" ? Stage::Kind::json : Stage::Kind::logfmt;
      VARVE_RETURN_IF_ERROR(check_plain_parser(tokens, token.text));
      return out;
    }
    if (token.text == "drop" || token.text == "keep") {
      out.kind = tokens.take().text == "drop" ? Stage::Kind::drop : Stage::Kind::keep;
      VARVE_ASSIGN_OR_RETURN(out.names, read_names(tokens, token.text));
      return out;
    }
  }
  out.kind = Stage::Kind::label;
  VARVE_ASSIGN_OR_RETURN(out.label, LabelFilterParser(tokens).any(0));
  return out;
}

}  // namespace

Result<std::vector<Matcher>> read_selector(TokenReader& tokens) {
  VARVE_RETURN_IF_ERROR(tokens.expect_sign("{"));
  std::vector<Matcher> out;
  if (tokens.take_sign("}")) return out;
  do {
    if (!out.empty() && tokens.is_sign("}")) break;  // a comma may stand behind the last one
    VARVE_ASSIGN_OR_RETURN(std::string name, tokens.expect(Kind::identifier, "IDENTIFIER or }"));
    VARVE_ASSIGN_OR_RETURN(Matcher matcher, read_matcher(tokens, std::move(name)));
    out.push_back(std::move(matcher));
  } while (tokens.take_sign(","));
  VARVE_RETURN_IF_ERROR(tokens.expect_sign("}"));
  return out;
}

Status read_stages(TokenReader& tokens, std::vector<Stage>& out) {
  while (true) {
    const auto line = find_op(kLineOps, tokens.peek());
    Stage stage;
    if (line != kLineOps.end()) {
      VARVE_ASSIGN_OR_RETURN(stage.line, read_line_filter(tokens, line->second));
    } else if (tokens.is_sign("|>") || tokens.is_sign("!>")) {
      return tokens.unsupported(tokens.peek(), "the line filter '" + tokens.peek().text + "'");
    } else if (tokens.take_sign("|")) {
      VARVE_ASSIGN_OR_RETURN(stage, read_stage(tokens));
    } else {
      return {};
    }
    out.push_back(std::move(stage));
  }
}

bool fits_empty(const Matcher& matcher) {
  switch (matcher.op) {
    case MatchOp::equal: return matcher.value.empty();
    case MatchOp::not_equal: return !matcher.value.empty();
    case MatchOp::regex: return matcher.expression_matches("");
    case MatchOp::not_regex: return !matcher.expression_matches("");
  }
  return false;
}

Status check_selector(const std::vector<Matcher>& matchers) {
  if (!std::ranges::all_of(matchers, fits_empty)) return {};
  return fail(Code::invalid,
              "parse error : queries require at least one regexp or equality matcher that does not have an "
              "empty-compatible value. For instance, app=~\".*\" does not meet this requirement, but app=~\".+\" will");
}

}  // namespace varve::language::logql
