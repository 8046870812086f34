// SPDX-License-Identifier: Apache-2.0
// Any text gives a query, which some messages answer with JSON and with numbers of existing steps, or an error that
// says something. The rest of the input is a line that queries parse.
#include <string>

#include "base/check.h"
#include "language/logql/metric.h"
#include "language/logql/parser.h"
#include "language/logql/streams.h"
#include "message/builder.h"
#include "protocol/json/tree.h"
#include "query/testing/message_parts.h"

namespace logql = varve::language::logql;
namespace message = varve::message;
using varve::check;

namespace {

constexpr std::int64_t kSecondUs = 1'000'000;

void make_messages(message::Batch& batch, std::string_view line) {
  batch.clear();
  message::Builder builder(batch);
  for (std::int64_t i = 0; i < 4; ++i) {
    builder.start();
    check(builder.add_field("app", message::FieldForm::text, i % 2 == 0 ? "a" : "b").has_value(), "a field");
    check(builder.add_field("x.y", message::FieldForm::number, "5").has_value(), "a field");
    if (i > 1) check(builder.set(message::Column::source, "n").has_value(), "a text");
    check(builder.set(message::Column::text, line).has_value(), "a text");
    builder.finish(i * kSecondUs, 1);
  }
}

void answer(const logql::LogQuery& query, const logql::Source& source) {
  for (const bool categorized : {false, true}) {
    const auto json = logql::find_streams(query, {{0, INT64_MAX}, 3, false, categorized}, source);
    if (json) check(varve::protocol::json::check_strict(*json).has_value(), "an answer is JSON");
  }
}

void answer(const logql::MetricQuery& query, const logql::Source& source) {
  const logql::Steps steps{0, 4 * kSecondUs * 1000, kSecondUs * 1000};
  const auto value = logql::evaluate(query, steps, source);
  if (!value) return check(!value.error().message.empty(), "an error says something");
  for (const auto& series : value->series) {
    check(!series.points.empty(), "a series has points");
    for (const auto& point : series.points) check(point.step < steps.count(), "of steps that there are");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view text = input.substr(0, input.find('\0'));
  const auto query = logql::parse(text);
  varve::query::Expressions expressions;
  const auto selector = logql::parse_selector(text, expressions);
  if (!selector) check(!selector.error().message.empty(), "an error says something");
  if (!query) {
    check(query.error().code == varve::Code::invalid || query.error().code == varve::Code::unsupported, "one of two");
    check(query.error().message.starts_with("parse error"), "an error says something");
    return 0;
  }
  static message::Batch batch;
  make_messages(batch, input.substr(std::min(text.size() + 1, input.size())));
  using varve::query::testing::MessageParts;
  MessageParts parts(batch, MessageParts::Kept::hot);
  parts.name_field("x.y");
  const varve::ManualClock clock;
  const varve::query::Deadline deadline(clock, {}, nullptr);
  varve::query::Budget budget(std::size_t{1} << 28);
  const logql::Source source(parts, "t", deadline, budget);
  std::visit([&](const auto& one) { answer(one, source); }, *query);
  return 0;
}
