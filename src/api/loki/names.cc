// SPDX-License-Identifier: Apache-2.0
// Which labels, values of them, and streams there are in a time range.
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "api/loki/handlers.h"
#include "language/logql/streams.h"
#include "protocol/json/writer.h"

namespace varve::api {
namespace {

namespace logql = language::logql;
using protocol::json::Writer;
using NameSet = std::set<std::string, std::less<>>;

constexpr std::int64_t kLookBackNs = 6 * kHourNs;  // as in Loki

// Calls `each` with the labels of messages that are selected: all that are of streams, or this one.
Status each_kind(const LokiAsking& asking, std::string_view selector, std::string_view label,
                 const std::function<Status(const logql::Labels&)>& each) {
  VARVE_ASSIGN_OR_RETURN(const auto span, asking.parameters.span(asking.now_ns, kLookBackNs));
  VARVE_ASSIGN_OR_RETURN(auto condition, asking.selected_by(selector));
  logql::CountQuestion question{span, std::move(condition), {}};
  if (!label.empty()) question.labels = {logql::LabelsAsked::Kind::named, {label}};
  return asking.source.count(question, [&](const logql::Labels& labels, auto, auto) { return each(labels); });
}

Status add_name(const LokiAsking& asking, std::string_view name, NameSet& out) {
  if (out.contains(name)) return {};
  out.emplace(name);
  return asking.source.hold(sizeof(std::string) + 2 * name.size());
}

std::string list_of(const NameSet& names) {
  std::string body;
  Writer(body).begin_object().member("status", "success").key("data").array(names).end_object();
  return body;
}

}  // namespace

Result<std::string> answer_labels(const LokiAsking& asking) {
  NameSet names;
  VARVE_RETURN_IF_ERROR(each_kind(asking, "query", "", [&](const logql::Labels& labels) -> Status {
    for (const logql::Label& label : labels.all()) {
      if (label.origin == logql::Label::Origin::stream) VARVE_RETURN_IF_ERROR(add_name(asking, label.name, names));
    }
    return {};
  }));
  return list_of(names);
}

// /loki/api/v1/label/{name}/values
Result<std::string> answer_label_values(const LokiAsking& asking) {
  const std::string_view name = asking.request.captured("name");
  if (!logql::is_label_name(name)) {
    return fail(Code::invalid, "invalid label name '" + std::string(name.substr(0, 100)) + "'");
  }
  NameSet values;
  VARVE_RETURN_IF_ERROR(each_kind(asking, "query", name, [&](const logql::Labels& labels) -> Status {
    const std::string_view value = labels.get(name);
    return value.empty() ? Status{} : add_name(asking, value, values);
  }));
  return list_of(values);
}

Result<std::string> answer_series(const LokiAsking& asking) {
  const bool by_match = !asking.parameters.all("match[]").empty();
  NameSet streams;
  std::string json;
  VARVE_RETURN_IF_ERROR(each_kind(asking, by_match ? "match[]" : "match", "", [&](const logql::Labels& labels) {
    json.clear();
    Writer writer(json);
    writer.begin_object();
    for (const logql::Label& label : logql::stream_labels(labels)) writer.member(label.name, label.value);
    writer.end_object();
    return add_name(asking, json, streams);
  }));
  std::string body;
  Writer writer(body);
  writer.begin_object().member("status", "success").key("data").begin_array();
  for (const std::string& stream : streams) writer.raw(stream);
  writer.end_array().end_object();
  return body;
}

}  // namespace varve::api
