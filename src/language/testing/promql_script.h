// SPDX-License-Identifier: Apache-2.0
// For tests: data, questions of PromQL and their answers as a script (testdata/promql/):
//   == title                                 forgets the data
//   load FIRST STEP {__name__="m"} VALUE …   a series; STEP: how far the next one is; _: none; stale: a marker;
//                                            +15001: the next values are so far from each other; 0*9: nine times 0
//   at TIME QUERY
//   range FIRST LAST STEP QUERY
//   = vector | ordered vector | matrix       then a line for each series: {a="b"} and a value; of a range a value for
//                                            each step, _ where there is none; of m[5m] TIME:VALUE …
//   = scalar VALUE …   = string TEXT
//   ! bad_data | execution  [what the error contains]
//   w TEXT   i TEXT                          warnings and infos of the answer, all of them
// Times are ms, or 5s, 1m, 2h.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "language/promql/annotations.h"
#include "language/promql/duration.h"
#include "language/promql/evaluate.h"
#include "language/promql/parser.h"
#include "language/testing/promql_source.h"

namespace varve::language::testing {

inline std::int64_t promql_time(const std::string& text) {
  std::size_t end = 0;
  const std::int64_t number = std::stoll(text, &end);
  const std::string unit = text.substr(end);
  return number * (unit == "s" ? 1000 : unit == "m" ? 60'000 : unit == "h" ? 3'600'000 : 1);
}

inline double promql_number(const std::string& text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "stale") return promql::kStale;
  return std::strtod(text.c_str(), nullptr);
}

// Takes {a="b", "c d"="e"} from the front.
inline promql::Labels take_labels(std::string_view& text) {
  promql::Labels out;
  const auto quoted = [&] {
    std::string value;
    for (text.remove_prefix(1); text[0] != '"'; text.remove_prefix(1)) {
      if (text[0] == '\\') {
        text.remove_prefix(1);
        value += text[0] == 'n' ? '\n' : text[0] == 't' ? '\t' : text[0];
      } else {
        value += text[0];
      }
    }
    text.remove_prefix(1);
    return value;
  };
  text.remove_prefix(1);
  while (text[0] != '}') {
    std::string name;
    if (text[0] == '"') {
      name = quoted();
    } else {
      name = text.substr(0, text.find('='));
      text.remove_prefix(name.size());
    }
    text.remove_prefix(1);
    promql::set_label(out, name, quoted());
    if (text.starts_with(", ")) text.remove_prefix(2);
  }
  text.remove_prefix(1);
  return out;
}

inline promql::Selected loaded_series(std::string_view line) {
  std::istringstream front{std::string(line.substr(0, line.find('{')))};
  std::string first, step;
  front >> first >> step;
  line.remove_prefix(line.find('{'));
  promql::Selected out;
  out.labels = take_labels(line);
  std::int64_t time = promql_time(first), distance = promql_time(step);
  bool any = false;
  std::istringstream words{std::string(line)};
  for (std::string word; words >> word;) {
    if (word[0] == '+' && word[1] >= '0' && word[1] <= '9') {
      distance = promql_time(word.substr(1));
      continue;
    }
    const std::size_t star = word.find('*');
    for (int times = star == std::string::npos ? 1 : std::stoi(word.substr(star + 1)); times > 0; --times) {
      if (std::exchange(any, true)) time += distance;
      if (word == "_") continue;
      out.times.push_back(time);
      out.values.push_back(promql_number(word.substr(0, star)));
    }
  }
  return out;
}

struct PromqlQuestion {
  std::string where;  // file and line
  std::string text;
  promql::Steps steps;
  bool instant = false;
  bool ordered = false;
  std::string type;  // vector, …; of an error its type
  bool error = false;
  std::string error_part;
  std::vector<std::string> lines;  // of the answer
  std::vector<std::string> warnings, infos;
};

// ask(question) for each.
template <class Ask>
void run_promql_script(const std::string& path, MemorySource& source, Ask ask) {
  std::ifstream file(path);
  std::optional<PromqlQuestion> question;
  const auto finish = [&] {
    if (question) ask(*std::exchange(question, std::nullopt));
  };
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const std::string word = line.substr(0, line.find(' '));
    std::istringstream words(line.substr(std::min(line.size(), word.size() + 1)));
    if (word == "==" || word == "load" || word == "at" || word == "range") finish();
    if (word == "==") {
      source.clear();
    } else if (word == "load") {
      source.add(loaded_series(std::string_view(line).substr(5)));
    } else if (word == "at" || word == "range") {
      question.emplace();
      question->where = path.substr(path.rfind('/') + 1) + ":" + std::to_string(number);
      question->instant = word == "at";
      std::string first, last, step = "1";
      words >> first;
      last = first;
      if (word == "range") words >> last >> step;
      question->steps = {promql_time(first), promql_time(last), promql_time(step)};
      std::getline(words >> std::ws, question->text);
    } else if (word == "=") {
      words >> question->type;
      if (question->type == "ordered") {
        question->ordered = true;
        words >> question->type;
      }
      std::string rest;
      if (std::getline(words >> std::ws, rest)) question->lines.push_back(rest);
    } else if (word == "!") {
      question->error = true;
      words >> question->type;
      std::getline(words >> std::ws, question->error_part);
    } else if (word == "w" || word == "i") {
      (word == "w" ? question->warnings : question->infos).push_back(line.substr(2));
    } else {
      question->lines.push_back(line);
    }
  }
  finish();
}

struct PromqlAnswer {
  bool parsed = false;
  Result<promql::Answer> answer = fail(Code::invalid, "not asked");
};

inline PromqlAnswer ask_promql(const std::string& text, promql::Steps steps, bool instant, MemorySource& source,
                               const promql::EvaluationOptions& options = {}) {
  PromqlAnswer out;
  auto tree = promql::parse(text);
  if (!tree) {
    out.answer = fail(tree.error());
    return out;
  }
  const promql::QuerySteps query_steps{instant ? 0 : steps.step_ms, steps.end_ms - steps.start_ms};
  if (const Status resolved = promql::resolve_durations(**tree, query_steps, text); !resolved) {
    out.answer = fail(resolved.error());
    return out;
  }
  out.parsed = true;
  out.answer = promql::evaluate({**tree, text, steps, instant}, source, options);
  return out;
}

// The answer in the lines of a script; numbers in the shortest form.
inline std::vector<std::string> lines_of(const promql::Answer& answer, bool instant) {
  using promql::plain_text_of_number;
  std::vector<std::string> out;
  const auto add_points = [&](std::string line, const promql::Column& points) {
    std::string gaps;
    for (std::size_t step = 0; step < points.size(); ++step) {
      if (points.has(step)) {
        line += gaps + " " + plain_text_of_number(points[step]);
        gaps.clear();
      } else {
        gaps += " _";
      }
    }
    out.push_back(line);
  };
  if (answer.type == promql::ValueType::string) {
    out.emplace_back();
    for (const char c : answer.text) out.back() += c == '\t' ? "\\t" : std::string(1, c);
  }
  if (answer.type == promql::ValueType::scalar) {
    add_points(instant ? "" : "{}", answer.scalar);
    if (instant) out.back().erase(0, 1);
  }
  for (const promql::Series& series : answer.series) add_points(promql::text_of(series.labels), series.points);
  for (const promql::RangeSeries& series : answer.ranges) {
    std::string line = promql::text_of(series.labels);
    for (std::size_t i = 0; i < series.times.size(); ++i) {
      line += " " + std::to_string(series.times[i]) + ":" + plain_text_of_number(series.values[i]);
    }
    out.push_back(line);
  }
  return out;
}

inline bool close_numbers(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= tolerance * (std::fabs(a) + std::fabs(b));
}

// Two lines of an answer whose numbers differ by no more than `tolerance` of them.
inline bool same_line(const std::string& a, const std::string& b, double tolerance) {
  if (a == b) return true;
  const std::size_t labels = a.rfind('}') == std::string::npos ? 0 : a.rfind('}') + 1;
  if (a.substr(0, labels) != b.substr(0, labels)) return false;
  std::istringstream left(a.substr(labels)), right(b.substr(labels));
  std::string x, y;
  while (left >> x) {
    if (!(right >> y)) return false;
    const std::size_t time = x.find(':') == std::string::npos ? 0 : x.find(':') + 1;
    if (x == y) continue;
    if (x == "_" || y == "_" || x.substr(0, time) != y.substr(0, time)) return false;
    if (!close_numbers(promql_number(x.substr(time)), promql_number(y.substr(time)), tolerance)) return false;
  }
  return !(right >> y);
}

}  // namespace varve::language::testing
