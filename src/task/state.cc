// SPDX-License-Identifier: Apache-2.0
#include "task/state.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "base/hex.h"
#include "codec/hash.h"
#include "protocol/json/tree.h"
#include "protocol/json/writer.h"

namespace varve::task {
namespace {

namespace json = protocol::json;
using json::Node;

std::string text_of(const Node& node, std::string_view name) {
  const Node* found = node.find(name);
  return found == nullptr ? std::string() : std::string(found->text);
}

template <typename T = std::int64_t>
std::optional<T> number_of(const Node& node, std::string_view name) {
  const Node* found = node.find(name);
  if (found == nullptr) return std::nullopt;
  T value = 0;
  const char* const end = found->text.data() + found->text.size();
  const auto [at, error] = std::from_chars(found->text.data(), end, value);
  if (error != std::errc{} || at != end) return std::nullopt;
  return value;
}

// 07 Nov 2026 01:09:40 PM, as KairosDB's status has it: its twelve hours count from 0.
std::string when(model::Timestamp ms) {
  using namespace std::chrono;
  static constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const sys_seconds second = floor<seconds>(sys_time<milliseconds>(milliseconds(ms)));
  const year_month_day date(floor<days>(second));
  const hh_mm_ss time(second - floor<days>(second));
  const auto hour = static_cast<int>(time.hours().count());
  char text[48];
  std::snprintf(text, sizeof text, "%02u %s %04d %02d:%02d:%02d %s", static_cast<unsigned>(date.day()),
                kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()), hour % 12,
                static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
                hour < 12 ? "AM" : "PM");
  return text;
}

}  // namespace

std::string version_of(const Task& task) { return hex_text(codec::murmur3_128(task.json)[0], 16); }

std::string to_json(const State& state) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("of", state.of).member("host", state.host).member("begun", state.begun_ms);
  json.member("finished", state.finished ? 1 : 0).key("metrics").begin_array();
  for (const MetricState& metric : state.metrics) {
    json.begin_object().member("metric", metric.metric);
    if (metric.saved_until) json.member("until", *metric.saved_until);
    json.member("at", metric.at_ms).member("points", metric.points).member("took", metric.took_ms);
    if (!metric.error.empty()) json.member("error", metric.error);
    json.end_object();
  }
  json.end_array().end_object();
  return out;
}

Result<State> state_of(std::string_view text) {
  json::Reader reader(text);
  const auto root = json::read_tree(reader);
  const Node* metrics = root ? root->find("metrics") : nullptr;
  if (metrics == nullptr) return fail(Code::corrupt, "the state of a roll-up task is malformed");
  State out;
  out.of = text_of(*root, "of");
  out.host = text_of(*root, "host");
  out.begun_ms = number_of(*root, "begun").value_or(0);
  out.finished = number_of(*root, "finished").value_or(1) != 0;
  for (const Node& node : metrics->children) {
    MetricState& metric = out.metrics.emplace_back();
    metric.metric = text_of(node, "metric");
    metric.saved_until = number_of(node, "until");
    metric.at_ms = number_of(node, "at").value_or(0);
    metric.points = number_of<std::uint64_t>(node, "points").value_or(0);
    metric.took_ms = number_of(node, "took").value_or(0);
    metric.error = text_of(node, "error");
  }
  return out;
}

void go_back(State& state, model::Timestamp now_ms) {
  if (state.begun_ms > now_ms) {
    state.begun_ms = 0;
    state.finished = true;
  }
  for (MetricState& metric : state.metrics) {
    if (metric.saved_until > now_ms) metric.saved_until.reset();
  }
}

model::Timestamp due_ms(const Task& task, const State& state) {
  if (state.begun_ms == 0 || !state.finished) return 0;
  return model::nearest_timestamp(model::add_units(state.begun_ms, task.interval, task.interval_unit));
}

std::string status_json(const Task& task, const State& state) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("nextScheduled", when(due_ms(task, state))).member("executingHost", state.host);
  json.key("statuses").begin_array();
  for (const MetricState& metric : state.metrics) {
    if (metric.at_ms == 0) continue;  // its turn did not come yet
    json.begin_object().member("metricName", metric.metric).member("lastExecuted", when(metric.at_ms));
    json.member("dataPointCount", metric.points).member("executionLength", metric.took_ms);
    if (!metric.error.empty()) json.member("errorMessage", metric.error);
    json.member("lastExecutionTime", metric.at_ms).end_object();
  }
  json.end_array().end_object();
  return out;
}

}  // namespace varve::task
