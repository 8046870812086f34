// SPDX-License-Identifier: Apache-2.0
// Messages, queries and answers as scripts (testdata/logql/):
//   == name
//   message TIME a=b .source=x #n=5 | the line      free fields: texts, numbers (#); columns (.)
//   log FROM TO forward|backward LIMIT QUERY        TO does not belong to it
//   categorized FROM TO QUERY                       all lines, forward
//   metric FROM TO STEP QUERY
//   = the answer                                    of a log query JSON, of a metric {labels} time:value …
//   ! the error
// A message stays until the next ==. Times: 5s, 1m, 3s2ns.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "language/logql/metric.h"
#include "language/logql/parser.h"
#include "language/logql/streams.h"
#include "language/logql/units.h"
#include "message/builder.h"
#include "message/level.h"
#include "query/testing/message_parts.h"

namespace varve::language::logql {
namespace {

std::int64_t time_of(const std::string& text) { return duration_ns(text).value_or(-1); }

class LogqlScript : public ::testing::Test {
 protected:
  void add_message(std::istringstream words) {
    std::string time, word;
    words >> time;
    message::Builder builder(batch_);
    builder.start();
    std::vector<std::string> kept;
    kept.reserve(100);
    while (words >> word && word != "|") {
      const std::string& cell = kept.emplace_back(word);
      const std::size_t equals = cell.find('=');
      const std::string_view name = std::string_view(cell).substr(0, equals),
                             value = std::string_view(cell).substr(equals + 1);
      if (name == ".level") {
        builder.set(message::Column::level, message::level_of(value).value_or(-1));
      } else if (name[0] == '.') {
        EXPECT_TRUE(builder.set(message::column_of(name.substr(1))->column, value));
      } else if (name[0] == '#') {
        EXPECT_TRUE(builder.add_field(name.substr(1), message::FieldForm::number, value));
      } else {
        EXPECT_TRUE(builder.add_field(name, message::FieldForm::text, value));
        fields_.emplace_back(name);
      }
    }
    std::string line;
    if (word == "|") {
      std::getline(words >> std::ws, line);
      EXPECT_TRUE(builder.set(message::Column::text, line));
    }
    const std::int64_t ns = time_of(time);
    builder.finish(ns / 1000, static_cast<unsigned>(ns % 1000));
  }

  // `call` is given what the messages are read from.
  template <class Call>
  auto ask(const Call& call) {
    using query::testing::MessageParts;
    MessageParts parts(batch_, MessageParts::Kept::hot);
    for (const std::string& field : fields_) parts.name_field(field);
    const ManualClock clock;
    const query::Deadline deadline(clock, {}, nullptr);
    query::Budget budget(std::size_t{1} << 30);
    auto answer = call(Source(parts, "t", deadline, budget));
    held_ += budget.used();
    return answer;
  }

  Result<std::string> ask_lines(std::istringstream words, bool categorized) {
    std::string from, to, direction = "forward", query;
    std::uint64_t limit = 1000;
    words >> from >> to;
    if (!categorized) words >> direction >> limit;
    std::getline(words >> std::ws, query);
    VARVE_ASSIGN_OR_RETURN(const Query parsed, parse(query));
    const LogRange range{{time_of(from), time_of(to)}, limit, direction == "backward", categorized};
    return ask([&](const Source& source) { return find_streams(std::get<LogQuery>(parsed), range, source); });
  }

  Result<std::string> ask_metric(std::istringstream words) {
    std::string from, to, step, query;
    words >> from >> to >> step;
    std::getline(words >> std::ws, query);
    VARVE_ASSIGN_OR_RETURN(const Query parsed, parse(query));
    const Steps steps{time_of(from), time_of(to), time_of(step)};
    const auto& metric = std::get<MetricQuery>(parsed);
    VARVE_ASSIGN_OR_RETURN(const MetricValue value,
                           ask([&](const Source& source) { return evaluate(metric, steps, source); }));
    std::ostringstream out;
    if (value.is_scalar) out << value.scalar;
    for (const Series& series : value.series) {
      out << (out.str().empty() ? "{" : " {");
      for (const auto& [name, text] : series.labels)
        out << (&name == &series.labels[0].first ? "" : ",") << name << "=" << text;
      out << "}";
      for (const Point& point : series.points) out << " " << steps.at(point.step) / kSecondNs << "s:" << point.value;
    }
    return out.str();
  }

  void run_line(const std::string& line, const std::string& where) {
    const std::string word = line.substr(0, line.find(' '));
    const std::string rest = word.size() < line.size() ? line.substr(word.size() + 1) : "";
    if (word == "==") {
      batch_.clear();
      fields_.clear();
    } else if (word == "message") {
      add_message(std::istringstream(rest));
    } else if (word == "log" || word == "categorized") {
      answer_ = ask_lines(std::istringstream(rest), word == "categorized");
    } else if (word == "metric") {
      answer_ = ask_metric(std::istringstream(rest));
    } else if (word == "=") {
      EXPECT_EQ(answer_ ? *answer_ : "error: " + answer_.error().message, rest) << where;
      ++answers_;
    } else if (word == "!") {
      ASSERT_FALSE(answer_) << where << *answer_;
      EXPECT_TRUE(answer_.error().message.contains(rest)) << where << answer_.error().message;
      ++answers_;
    } else {
      ASSERT_TRUE(word.empty() || word == "#") << where << "unknown word";
    }
  }

  message::Batch batch_;
  std::vector<std::string> fields_;
  Result<std::string> answer_ = "";
  std::size_t held_ = 0;
  int answers_ = 0;
};

TEST_F(LogqlScript, All) {
  for (const auto& entry : std::filesystem::directory_iterator(std::string(VARVE_SOURCE_DIR) + "/testdata/logql")) {
    std::ifstream file(entry.path());
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
      run_line(line, entry.path().filename().string() + ":" + std::to_string(number) + ": " + line + "\n");
    }
  }
  EXPECT_GT(answers_, 60);
  EXPECT_GT(held_, 0U);
}

}  // namespace
}  // namespace varve::language::logql
