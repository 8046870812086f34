// SPDX-License-Identifier: Apache-2.0
#include "task/task.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "protocol/json/tree.h"
#include "protocol/json/tree_writer.h"
#include "protocol/json/writer.h"
#include "protocol/kairosdb/features.h"

namespace varve::task {
namespace {

namespace json = protocol::json;
using json::Kind;
using json::Node;
using Errors = std::vector<std::string>;

std::string json_with_id(const Node& root, const std::string& id) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("id", id);
  for (std::size_t i = 0; i < root.children.size(); ++i) {
    if (root.names[i] != "id") json::append_node(json.key(root.names[i]), root.children[i]);
  }
  json.end_object();
  return out;
}

std::int64_t whole(const Node* node, std::int64_t otherwise) {
  if (node == nullptr) return otherwise;
  std::int64_t value = otherwise;
  std::from_chars(node->text.data(), node->text.data() + node->text.size(), value);
  return value;
}

bool is_true(const Node* node) { return node != nullptr && node->text == "true"; }

// A text that must be there.
std::string text_of(const Node* node, const std::string& what, Errors& errors) {
  if (node == nullptr) {
    errors.push_back(what + " may not be null");
  } else if (node->text.empty()) {
    errors.push_back(what + " may not be empty");
  } else {
    return std::string(node->text);
  }
  return {};
}

void read_interval(const Node& root, Task& task, Errors& errors) {
  const Node* interval = root.find("execution_interval");
  if (interval == nullptr || interval->kind != Kind::object) {
    errors.emplace_back("executionInterval may not be null");
    return;
  }
  task.interval = whole(interval->find("value"), 0);
  if (task.interval <= 0) errors.emplace_back("executionInterval.value must be greater than 0");
  const Node* unit = interval->find("unit");
  const auto known = unit == nullptr ? std::nullopt : model::time_unit_of(unit->text);
  if (unit == nullptr) {
    errors.emplace_back("executionInterval.unit may not be null");
  } else if (!known) {
    errors.push_back("executionInterval." + std::string(unit->text) +
                     " is not a valid time unit, must be one of "
                     "MILLISECONDS,SECONDS,MINUTES,HOURS,DAYS,WEEKS,MONTHS,YEARS");
  }
  task.interval_unit = known.value_or(model::TimeUnit::hours);
}

std::string_view name_of(const Node& node) {
  const Node* name = node.find("name");
  return name == nullptr ? std::string_view() : name->text;
}

aggregate::Sampling sampling_of(const Node& aggregator) {
  aggregate::Sampling out;
  const Node* sampling = aggregator.find("sampling");
  if (sampling == nullptr) return out;
  out.value = whole(sampling->find("value"), 1);
  if (const Node* unit = sampling->find("unit")) out.unit = model::time_unit_of(unit->text).value_or(out.unit);
  return out;
}

// False: nothing in it goes by windows.
bool read_metric(const Node& metric, MetricPlan& plan) {
  static constexpr std::array<std::string_view, 4> kLookBack = {"diff", "rate", "sampler", "sma"};
  plan.metric = name_of(metric);
  const Node* aggregators = metric.find("aggregators");
  if (aggregators == nullptr) return false;
  bool ranges = false;
  for (const Node& aggregator : aggregators->children) {
    const std::string_view name = name_of(aggregator);
    if (std::ranges::find(kLookBack, name) != kLookBack.end()) plan.looks_back = true;
    if (!protocol::kairosdb::is_range_aggregator(name)) continue;
    ranges = true;
    plan.sampling = sampling_of(aggregator);
    plan.stamps_end = is_true(aggregator.find("align_end_time")) && !is_true(aggregator.find("align_start_time"));
  }
  return ranges;
}

void read_rollup(const Node& node, const std::string& place, const CheckQuery& check, Rollup& rollup, Errors& errors) {
  if (node.kind != Kind::object) {
    errors.push_back(place + " must be an object");
    return;
  }
  rollup.save_as = text_of(node.find("save_as"), place + ".saveAs", errors);
  if (rollup.save_as.empty()) return;
  const Node* query = node.find("query");
  if (query == nullptr || query->kind != Kind::object) {
    errors.push_back(place + ".query may not be null");
    return;
  }
  json::Writer writer(rollup.query);
  json::append_node(writer, *query);
  if (const Status good = check(rollup.query); !good) {
    const std::string& message = good.error().message;
    const bool of_metric = message.starts_with("query.metric[");
    const bool of_none = message.starts_with("query.metric[]");
    errors.push_back(of_none ? place + message : of_metric ? place + "." + message : message);
    return;
  }
  if (const Node* zone = query->find("time_zone")) rollup.time_zone = zone->text;
  const Node* metrics = query->find("metrics");
  if (metrics == nullptr) return;
  for (const Node& metric : metrics->children) {
    const std::string where = place + ".query[" + std::to_string(rollup.metrics.size()) + "]";
    if (!read_metric(metric, rollup.metrics.emplace_back())) {
      errors.push_back(where + ".aggregator At least one aggregator must be a range aggregator");
    } else if (rollup.metrics.back().sampling.value <= 0) {
      errors.push_back(where + ".aggregator sampling.value must be greater than 0");
    }
  }
}

}  // namespace

std::expected<Task, Errors> parse_task(std::string_view text, const std::string& id, const CheckQuery& check) {
  json::Reader reader(text);
  reader.set_lenient(true);
  const auto root = json::read_tree(reader);
  if (!root) return std::unexpected(Errors{root.error().message});
  if (root->kind != Kind::object) return std::unexpected(Errors{"a roll-up task must be a JSON object"});
  Task task;
  task.id = id;
  Errors errors;
  task.name = text_of(root->find("name"), "name", errors);
  read_interval(*root, task, errors);
  // What is wrong with the rollups is only said of a task that is good itself.
  if (!errors.empty()) return std::unexpected(std::move(errors));
  if (const Node* rollups = root->find("rollups")) {
    if (rollups->kind != Kind::array) return std::unexpected(Errors{"rollups must be an array"});
    for (std::size_t i = 0; i < rollups->children.size(); ++i) {
      const std::string place = "rollup[" + std::to_string(i) + "]";
      read_rollup(rollups->children[i], place, check, task.rollups.emplace_back(), errors);
    }
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  task.json = json_with_id(*root, id);
  return task;
}

}  // namespace varve::task
