// SPDX-License-Identifier: Apache-2.0
// Random expressions over random data, with markers, holes, resets and NaN, agree with a plain evaluation.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/testing/effort.h"
#include "language/testing/promql_plain.h"
#include "language/testing/promql_script.h"

namespace varve::language::promql {
namespace {

constexpr std::int64_t kDataStartMs = -600'000;

class RandomQueries {
 public:
  explicit RandomQueries(std::uint32_t seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  bool one_in(std::size_t n) { return below(n) == 0; }

  Selected series(const std::string& name, const std::string& a, const std::string& b) {
    Selected out;
    set_label(out.labels, "__name__", name);
    set_label(out.labels, "a", a);
    set_label(out.labels, "b", b);
    double value = static_cast<double>(below(50));
    std::int64_t time = kDataStartMs + static_cast<std::int64_t>(below(15'000));
    const std::size_t size = 20 + below(120);
    for (std::size_t i = 0; i < size; ++i) {
      out.times.push_back(time);
      out.values.push_back(one_in(25) ? kStale : one_in(40) && name == "gauge" ? NAN : value);
      if (name == "gauge") {
        value = static_cast<double>(below(40)) - 10;
      } else {
        value = one_in(12) ? static_cast<double>(below(5)) : value + static_cast<double>(below(9)) / 4;
      }
      time += one_in(3) ? 15'000 + static_cast<std::int64_t>(below(40)) : one_in(30) ? 400'000 : 15'000;
    }
    return out;
  }

  void load(testing::MemorySource& source) {
    for (const char* const name : {"gauge", "some_total"}) {
      for (const char* const a : {"1", "2", "3"}) {
        for (const char* const b : {"", "x"}) {
          if (!one_in(6)) source.add(series(name, a, b));
        }
      }
    }
    if (!one_in(4)) source.add(series("one", "1", ""));
    if (!one_in(4)) source.add(series("one", "2", ""));
  }

  // Exact ones are the same to the last digit, however they are calculated.
  std::string vector(int depth, bool exact) {
    if (depth == 0) return selector();
    switch (below(exact ? 6 : 9)) {
      case 0: return selector();
      case 1: {
        const std::string function = one_of({"abs(", "ceil(", "floor(", "sgn(", "clamp_min(", "clamp_max("});
        return function + vector(depth - 1, true) + (function.starts_with("clamp") ? ", 3)" : ")");
      }
      case 2: return exact_range_function(depth);
      case 3:
        return "(" + vector(depth - 1, true) + one_of({" > ", " < ", " == ", " >= bool ", " != "}) + scalar() + ")";
      case 4: return sets(depth, exact);
      case 5:
        return aggregation({"min", "max", "count", "group", "topk(2, ", "bottomk(1, ", "limitk(2, "}, depth, true);
      case 6: return range_function(depth);
      case 7: return aggregation({"sum", "avg", "stddev", "stdvar", "quantile(0.3, ", "quantile(0.9, "}, depth, false);
      default: return arithmetic(depth);
    }
  }

 private:
  std::string one_of(std::initializer_list<const char*> words) { return std::data(words)[below(words.size())]; }

  std::string modifiers() {
    std::string out;
    if (one_in(5)) out += one_of({" offset 1m", " offset -30s", " offset 7m"});
    if (one_in(8)) out += one_of({" @ 60", " @ start()", " @ end()", " @ -200.5"});
    return out;
  }
  std::string matchers() {
    return one_of({"gauge", "some_total", "one"}) +
           one_of({"", "", "{a=\"1\"}", "{b=\"\"}", "{a=~\"1|2\"}", "{b!=\"\"}", "{a!~\"3\",b=\"x\"}"});
  }
  std::string selector() { return matchers() + modifiers(); }
  std::string width() { return one_of({"[1m]", "[5m]", "[45s]", "[17m]", "[1ms]", "[2m30s]"}); }
  std::string range(int depth) {
    if (depth > 1 && one_in(4)) {
      return "(" + vector(depth - 2, true) + ")" + one_of({"[5m:1m]", "[3m:20s]", "[7m:]", "[50s:7s]"}) + modifiers();
    }
    return matchers() + width() + modifiers();
  }
  std::string scalar() { return one_of({"2", "0", "7.5", "-1", "scalar(one{a=\"1\"})", "scalar(gauge)"}); }
  std::string exact_range_function(int depth) {
    return one_of({"min_over_time", "max_over_time", "count_over_time", "last_over_time", "first_over_time", "changes",
                   "resets", "present_over_time", "idelta", "ts_of_min_over_time", "ts_of_max_over_time",
                   "ts_of_last_over_time", "ts_of_first_over_time"}) +
           "(" + range(depth) + ")";
  }
  std::string range_function(int depth) {
    switch (below(5)) {
      case 0: return "quantile_over_time(" + one_of({"0.1", "0.5", "1", "0", "2", "-1"}) + ", " + range(depth) + ")";
      case 1: return "predict_linear(" + range(depth) + one_of({", 60)", ", -30)"});
      case 2: return "double_exponential_smoothing(" + range(depth) + one_of({", 0.3, 0.6)", ", 0.8, 0.1)"});
      default:
        return one_of({"rate", "increase", "delta", "irate", "deriv", "sum_over_time", "avg_over_time",
                       "stddev_over_time", "stdvar_over_time", "mad_over_time"}) +
               "(" + range(depth) + ")";
    }
  }
  std::string aggregation(std::initializer_list<const char*> ops, int depth, bool exact) {
    const std::string op = one_of(ops);
    const std::string inner = vector(depth - 1, exact);
    const std::string by = one_of({"", " by (a)", " without (a)", " by (b, a)", " by ()", " without ()"});
    return op.ends_with(' ') ? op + inner + ")" + by : op + by + " (" + inner + ")";
  }
  std::string sets(int depth, bool exact) {
    return "(" + vector(depth - 1, exact) +
           one_of({" and ", " or ", " unless ", " and on (a) ", " unless ignoring (b) "}) + vector(depth - 1, true) +
           ")";
  }
  std::string arithmetic(int depth) {
    const std::string op = one_of({" + ", " - ", " * ", " / ", " % "});
    switch (below(5)) {
      case 0: return "(" + vector(depth - 1, op == " % ") + op + scalar() + ")";
      case 1: return "(" + scalar() + op + vector(depth - 1, true) + ")";
      case 2: return "(-" + vector(depth - 1, false) + ")";
      case 3: {
        const std::string many = vector(depth - 1, true);
        return "(" + many + op.substr(0, 3) + "on (a) group_left () max by (a) (" + vector(depth - 1, true) + "))";
      }
      default: {
        const std::string left = vector(depth - 1, true);
        return "(" + left + op + one_of({"", "on (a, b) ", "ignoring (b) "}) + vector(depth - 1, true) + ")";
      }
    }
  }

  std::mt19937 random_;
};

bool nearly(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= 1e-7 * (std::fabs(a) + std::fabs(b)) + 1e-7;
}

using Points = std::map<std::string, std::map<std::size_t, double>>;

// nullopt: there is an error at some step.
std::optional<Points> plain_points(const Expression& tree, Steps steps, const testing::MemorySource& source) {
  testing::PlainEvaluator plain(source, steps);
  Points out;
  for (std::size_t step = 0; step < steps.count(); ++step) {
    for (const auto& [labels, value] : plain.vector(tree, steps.at(step))) out[text_of(labels)][step] = value;
  }
  if (plain.failed()) return std::nullopt;
  return out;
}

bool same_points(const Points& plain, const Answer& answer) {
  if (plain.size() != answer.series.size()) return false;
  for (const Series& series : answer.series) {
    const auto found = plain.find(text_of(series.labels));
    if (found == plain.end()) return false;
    std::size_t count = 0;
    bool same = true;
    series.points.each([&](std::size_t step) {
      ++count;
      const auto value = found->second.find(step);
      same = same && value != found->second.end() && nearly(series.points[step], value->second);
    });
    if (!same || count != found->second.size()) return false;
  }
  return true;
}

TEST(PromqlModel, random_expressions_agree_with_a_plain_evaluation) {
  int answered = 0, refused = 0;
  for (int round = 0; round < varve::testing::effort(400); ++round) {
    RandomQueries random(static_cast<std::uint32_t>(round));
    testing::MemorySource source;
    random.load(source);
    for (int query = 0; query < 12; ++query) {
      const std::string text = random.vector(1 + static_cast<int>(random.below(3)), false);
      const bool instant = random.one_in(4);
      const auto start = static_cast<std::int64_t>(random.below(900'000)) - 300'000;
      const Steps steps{start, instant ? start : start + 600'000,
                        instant ? 1 : 7'000 + 1000 * static_cast<std::int64_t>(random.below(60))};
      const auto got = testing::ask_promql(text, steps, instant, source);
      ASSERT_TRUE(got.parsed) << text << ": " << got.answer.error().message;
      const auto tree = parse(text);
      const auto plain = plain_points(**tree, steps, source);
      // The plain evaluation sees one step; what is wrong between steps, or only of all of them together, it cannot
      // see.
      const bool all_together = text.contains(":") || !instant;
      if (plain && !got.answer && all_together && got.answer.error().code == Code::invalid) continue;
      if (!plain) {
        EXPECT_FALSE(got.answer) << round << ": " << text;
        ++refused;
        continue;
      }
      ASSERT_TRUE(got.answer) << round << ": " << text << ": " << got.answer.error().message;
      EXPECT_TRUE(same_points(*plain, *got.answer))
          << round << ": " << text << " at " << steps.start_ms << " by " << steps.step_ms;
      answered += got.answer->series.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(answered, 500);
  EXPECT_GT(refused, 2);
}

}  // namespace
}  // namespace varve::language::promql
