// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <limits>

#include "base/ascii.h"
#include "protocol/json/number.h"
#include "protocol/json/tree.h"
#include "protocol/messages/words.h"
#include "protocol/otlp/logs.h"

namespace varve::protocol::otlp {
namespace {

using json::Kind;
using json::Node;

std::unexpected<Error> wrong_member(std::string_view name, std::string_view what) {
  return fail(Code::invalid, std::string(name).append(" is not ").append(what));
}

Result<std::string_view> text_in(const Node& object, std::string_view name) {
  const Node* node = object.find(name);
  if (node == nullptr) return std::string_view();
  if (node->kind != Kind::string) return wrong_member(name, "a text");
  return node->text;
}

// Also as a text, as protobuf's JSON has numbers of 64 bits.
template <class Number>
Result<Number> number_in(const Node& object, std::string_view name) {
  const Node* node = object.find(name);
  if (node == nullptr) return Number{0};
  Number number{0};
  const char* const end = node->text.data() + node->text.size();
  const bool is_text = node->kind == Kind::string || node->kind == Kind::number;
  if (is_text && node->text.empty()) return wrong_member(name, "a whole number");
  if (!is_text || std::from_chars(node->text.data(), end, number) != std::from_chars_result{end, std::errc{}}) {
    return wrong_member(name, "a whole number of " + std::to_string(8 * sizeof number) + " bits");
  }
  return number;
}

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
  JsonLogs(const LogOptions& options, std::size_t body_bytes, message::Batch& batch)
      : records_(options, body_bytes, batch) {}

  Result<Outcome> read(const Node& request) {
    if (request.kind != Kind::object) return wrong_member("the body", "an object");
    VARVE_RETURN_IF_ERROR(each(request, "resourceLogs", [&](const Node& logs) { return read_resource_logs(logs); }));
    return records_.take_outcome();
  }

 private:
  // The objects of a list. Errors are of the request.
  template <class Read>
  static Status each(const Node& object, std::string_view name, const Read& read) {
    const Node* list = object.find(name);
    if (list == nullptr) return {};
    if (list->kind != Kind::array) return wrong_member(name, "a list");
    for (const Node& item : list->children) {
      if (item.kind != Kind::object) return wrong_member("an item of " + std::string(name), "an object");
      VARVE_RETURN_IF_ERROR(read(item));
    }
    return {};
  }

  static Status add_attributes(const Node& of, Fields& fields) {
    return each(of, "attributes", [&](const Node& attribute) { return fields.add(attribute); });
  }

  Status read_resource_logs(const Node& logs) {
    Fields& fields = records_.start_resource();
    if (const Node* resource = logs.find("resource")) {
      records_.set_resource_error(resource->kind == Kind::object ? add_attributes(*resource, fields)
                                                                 : Status(wrong_member("resource", "an object")));
    }
    return each(logs, "scopeLogs", [&](const Node& scope) { return read_scope_logs(scope); });
  }

  Status read_scope_logs(const Node& logs) {
    Fields& fields = records_.start_scope();
    if (const Node* scope = logs.find("scope")) {
      records_.set_scope_error(scope->kind == Kind::object ? read_scope(*scope, fields)
                                                           : Status(wrong_member("scope", "an object")));
    }
    return each(logs, "logRecords", [&](const Node& record) {
      Record to;
      const Status status = read_record(record, to, records_.start_record());
      records_.add(to, status);
      return Status{};
    });
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

  Records records_;
};

}  // namespace

Result<Outcome> parse_logs_json(std::string_view body, const LogOptions& options, message::Batch& batch) {
  json::Reader reader(body);
  const auto request = json::read_strict(reader);
  if (!request) return fail(Code::invalid, "not JSON: " + request.error().message);
  return JsonLogs(options, body.size(), batch).read(*request);
}

}  // namespace varve::protocol::otlp
