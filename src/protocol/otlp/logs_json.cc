// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/ascii.h"
#include "protocol/otlp/json_walk.h"
#include "protocol/otlp/logs.h"

namespace varve::protocol::otlp {
namespace {

using json::Kind;
using json::Node;

// SEVERITY_NUMBER_INFO2 is 10.
std::int64_t severity_named(std::string_view name) {
  constexpr std::string_view kPrefix = "SEVERITY_NUMBER_";
  constexpr std::array<std::string_view, 6> kNames{"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"};
  if (!name.starts_with(kPrefix)) return 0;
  name.remove_prefix(kPrefix.size());
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (!name.starts_with(kNames[i])) continue;
    const std::string_view behind = name.substr(kNames[i].size());
    if (behind.empty()) return static_cast<std::int64_t>(4 * i + 1);
    if (behind.size() == 1 && behind[0] >= '2' && behind[0] <= '4') {
      return static_cast<std::int64_t>(4 * i) + behind[0] - '0';
    }
  }
  return 0;
}

Result<std::int64_t> severity_in(const Node& record) {
  const Node* node = record.find("severityNumber");
  if (node != nullptr && node->kind == Kind::string) {
    if (const auto named = severity_named(node->text); named != 0 || node->text == "SEVERITY_NUMBER_UNSPECIFIED") {
      return named;
    }
  }
  VARVE_ASSIGN_OR_RETURN(const auto number, number_in<std::int32_t>(record, "severityNumber"));
  return std::int64_t{number};
}

Result<std::string> hex_in(const Node& record, std::string_view name) {
  VARVE_ASSIGN_OR_RETURN(const std::string_view text, text_in(record, name));
  const std::string hex = lower(text);
  if (hex.size() % 2 != 0 || hex.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return wrong_member(name, "in hex");
  }
  return hex.find_first_not_of('0') == std::string::npos ? std::string() : hex;
}

class JsonLogs {
 public:
  JsonLogs(std::string_view body, const LogOptions& options, message::Batch& batch)
      : walk_(body), records_(options, body.size(), batch) {}

  Result<Outcome> read() {
    VARVE_RETURN_IF_ERROR(walk_.read_body("resourceLogs", [&] { return read_resource_logs(); }));
    return records_.take_outcome();
  }

 private:
  static Status add_attributes(const Node& of, Fields& fields) {
    const Node* list = of.find("attributes");
    if (list == nullptr) return {};
    if (list->kind != Kind::array) return wrong_member("attributes", "a list");
    for (const Node& attribute : list->children) VARVE_RETURN_IF_ERROR(fields.add(attribute));
    return {};
  }

  Status read_resource_logs() {
    walk_.reader().clear_texts();  // those of the resource before
    Fields& fields = records_.start_resource();
    const auto take_resource = [&](const Node& resource) {
      if (resource.kind == Kind::null) return;
      records_.set_resource_error(resource.kind == Kind::object ? add_attributes(resource, fields)
                                                                : Status(wrong_member("resource", "an object")));
    };
    return walk_.read_object("resource", take_resource, "scopeLogs", [&] { return read_scope_logs(); });
  }

  Status read_scope_logs() {
    Fields& fields = records_.start_scope();
    const auto take_scope = [&](const Node& scope) {
      if (scope.kind == Kind::null) return;
      records_.set_scope_error(scope.kind == Kind::object ? read_scope(scope, fields)
                                                          : Status(wrong_member("scope", "an object")));
    };
    return walk_.read_object("scope", take_scope, "logRecords", [&] { return read_whole_record(); });
  }

  Status read_whole_record() {
    VARVE_ASSIGN_OR_RETURN(const Node node, walk_.read_whole());
    Record record;
    const Status status = read_record(node, record, records_.start_record());
    records_.add(record, status);
    return {};
  }

  static Status read_scope(const Node& scope, Fields& fields) {
    for (const auto& [name, as] : {std::pair("name", "scope.name"), std::pair("version", "scope.version")}) {
      VARVE_ASSIGN_OR_RETURN(const std::string_view text, text_in(scope, name));
      if (!text.empty()) VARVE_RETURN_IF_ERROR(fields.add(as, message::FieldForm::text, text));
    }
    return add_attributes(scope, fields);
  }

  static Status read_record(const Node& from, Record& to, Fields& fields) {
    VARVE_ASSIGN_OR_RETURN(to.time_ns, number_in<std::uint64_t>(from, "timeUnixNano"));
    VARVE_ASSIGN_OR_RETURN(to.observed_ns, number_in<std::uint64_t>(from, "observedTimeUnixNano"));
    VARVE_ASSIGN_OR_RETURN(to.severity, severity_in(from));
    VARVE_ASSIGN_OR_RETURN(to.severity_text, text_in(from, "severityText"));
    VARVE_ASSIGN_OR_RETURN(to.event_name, text_in(from, "eventName"));
    VARVE_ASSIGN_OR_RETURN(to.flags, number_in<std::uint32_t>(from, "flags"));
    VARVE_ASSIGN_OR_RETURN(to.dropped_attributes, number_in<std::uint32_t>(from, "droppedAttributesCount"));
    VARVE_ASSIGN_OR_RETURN(std::string trace_id, hex_in(from, "traceId"));
    VARVE_ASSIGN_OR_RETURN(std::string span_id, hex_in(from, "spanId"));
    to.trace_id = fields.keep(std::move(trace_id));
    to.span_id = fields.keep(std::move(span_id));
    if (const Node* body = from.find("body")) {
      VARVE_ASSIGN_OR_RETURN(to.body, fields.reader().value(*body));
    }
    return add_attributes(from, fields);
  }

  JsonWalk walk_;
  Records records_;
};

}  // namespace

Result<Outcome> parse_logs_json(std::string_view body, const LogOptions& options, message::Batch& batch) {
  return JsonLogs(body, options, batch).read();
}

}  // namespace varve::protocol::otlp
