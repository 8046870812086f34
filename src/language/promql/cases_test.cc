// SPDX-License-Identifier: Apache-2.0
// Questions with their answers: testdata/promql/cases/ has those of a Prometheus 3.14, evaluation/ has our own.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "language/testing/promql_script.h"

namespace varve::language::promql {
namespace {

using testing::PromqlQuestion;

// Prometheus counts repaired samples of a range query several times, so that the number says little.
std::string without_sample_count(const std::string& text) { return text.substr(0, text.find(", over ")); }

bool same_annotations(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::is_permutation(a, b, {}, without_sample_count, without_sample_count);
}

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string out;
  for (const auto& line : lines) out += "\n    " + line;
  return out;
}

// Empty: as it should be.
std::string difference(const PromqlQuestion& question, const testing::PromqlAnswer& got, double tolerance) {
  if (question.error) {
    if (got.answer) return "an answer instead of the error " + question.type;
    if ((question.type == "bad_data") == got.parsed) return "wrong kind: " + got.answer.error().message;
    return got.answer.error().message.contains(question.error_part) ? "" : got.answer.error().message;
  }
  if (!got.answer) return got.answer.error().message;
  constexpr const char* kTypes[] = {"scalar", "vector", "matrix", "string"};
  const std::string type = !question.instant && got.answer->type != ValueType::string
                               ? "matrix"
                               : kTypes[static_cast<int>(got.answer->type)];
  if (type != question.type) return type + " instead of " + question.type;
  auto want = question.lines, have = testing::lines_of(*got.answer, question.instant);
  if (!question.ordered) {
    std::ranges::sort(want);
    std::ranges::sort(have);
  }
  const bool same =
      std::ranges::equal(want, have, [&](const auto& a, const auto& b) { return testing::same_line(a, b, tolerance); });
  if (!same) return joined_lines(have) + "\n  instead of" + joined_lines(want);
  if (!same_annotations(question.warnings, got.answer->warnings))
    return "warnings:" + joined_lines(got.answer->warnings);
  if (!same_annotations(question.infos, got.answer->infos)) return "infos:" + joined_lines(got.answer->infos);
  return "";
}

int run_scripts(const std::string& folder, double tolerance) {
  int questions = 0;
  for (const auto& entry : std::filesystem::directory_iterator(VARVE_SOURCE_DIR "/testdata/promql/" + folder)) {
    testing::MemorySource source;
    testing::run_promql_script(entry.path().string(), source, [&](const PromqlQuestion& question) {
      ++questions;
      const auto got = testing::ask_promql(question.text, question.steps, question.instant, source);
      const std::string wrong = difference(question, got, tolerance);
      EXPECT_EQ(wrong, "") << question.where << ": " << question.text;
    });
  }
  return questions;
}

TEST(PromqlCases, answers_are_those_of_prometheus) { EXPECT_EQ(run_scripts("cases", 1e-6), 1057); }

TEST(PromqlCases, own_tables) { EXPECT_GT(run_scripts("evaluation", 1e-12), 100); }

}  // namespace
}  // namespace varve::language::promql
