// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <functional>
#include <limits>

#include "base/ascii.h"
#include "protocol/json/number.h"
#include "protocol/json/text.h"
#include "protocol/json/tree.h"
#include "protocol/messages/general_message.h"
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

// Walks down to the records, each of which is a tree for itself: a tree of all would not fit into a cache.
class JsonLogs {
 public:
  JsonLogs(std::string_view body, const LogOptions& options, message::Batch& batch)
      : body_(body), outer_(body), inner_(body), records_(options, body.size(), batch) {
    for (json::Reader* reader : {&outer_, &inner_}) {
      reader->set_strict();
      reader->keep_cut_texts();
    }
  }

  Result<Outcome> read() {
    if (!json::is_utf8(body_)) return fail(Code::invalid, "not JSON: the JSON is not valid UTF-8");
    const json::Element root = outer_.value();
    if (!outer_.failed() && root.kind != Kind::object) return wrong_member("the body", "an object");
    VARVE_RETURN_IF_ERROR(read_object({}, {}, "resourceLogs", [&] { return read_resource_logs(); }));
    if (!outer_.failed() && !outer_.at_end())
      return fail(Code::invalid, "not JSON: there is something behind the object");
    VARVE_RETURN_IF_ERROR(ended());
    return records_.take_outcome();
  }

 private:
  // For where the reader says that there is no more.
  [[nodiscard]] Status ended() const { return outer_.failed() ? fail(messages::not_json(outer_, false)) : Status{}; }

  // The rest of an object: the member `head`, wherever it stands, and then each object of the list.
  Status read_object(std::string_view head, const std::function<void(const Node&)>& take_head, std::string_view list,
                     const std::function<Status()>& read_item) {
    bool has_head = head.empty();
    bool is_read = false;
    const char* items = nullptr;
    bool first = true;
    for (std::string_view name; outer_.next_name(first, name);) {
      const bool is_head = !head.empty() && name == head;
      const bool is_list = name == list;
      const json::Element value = outer_.value();
      if (outer_.failed()) break;
      if (is_head) {
        const auto node = json::read_node(outer_, value);
        if (!node) break;
        take_head(*node);
        has_head = true;
      } else if (is_list && value.kind != Kind::null) {
        if (value.kind != Kind::array) return wrong_member(list, "a list");
        if (items != nullptr) return fail(Code::invalid, std::string(list) + " stands twice");
        items = value.begin + 1;
        is_read = has_head;
        if (is_read) {
          VARVE_RETURN_IF_ERROR(read_list(list, read_item));
        } else {
          outer_.skip(value);
        }
      } else {
        outer_.skip(value);
      }
    }
    VARVE_RETURN_IF_ERROR(ended());
    if (items == nullptr || is_read) return {};
    const char* const behind = outer_.at();
    outer_.seek(items);
    VARVE_RETURN_IF_ERROR(read_list(list, read_item));
    outer_.seek(behind);
    return {};
  }

  Status read_list(std::string_view list, const std::function<Status()>& read_item) {
    json::Element item;
    for (bool first = true; outer_.next_item(first, item);) {
      if (item.kind != Kind::object) return wrong_member("an item of " + std::string(list), "an object");
      VARVE_RETURN_IF_ERROR(read_item());
    }
    return ended();
  }

  static Status add_attributes(const Node& of, Fields& fields) {
    const Node* list = of.find("attributes");
    if (list == nullptr) return {};
    if (list->kind != Kind::array) return wrong_member("attributes", "a list");
    for (const Node& attribute : list->children) VARVE_RETURN_IF_ERROR(fields.add(attribute));
    return {};
  }

  Status read_resource_logs() {
    outer_.clear_texts();  // those of the resource before
    Fields& fields = records_.start_resource();
    const auto take_resource = [&](const Node& resource) {
      if (resource.kind == Kind::null) return;
      records_.set_resource_error(resource.kind == Kind::object ? add_attributes(resource, fields)
                                                                : Status(wrong_member("resource", "an object")));
    };
    return read_object("resource", take_resource, "scopeLogs", [&] { return read_scope_logs(); });
  }

  Status read_scope_logs() {
    Fields& fields = records_.start_scope();
    const auto take_scope = [&](const Node& scope) {
      if (scope.kind == Kind::null) return;
      records_.set_scope_error(scope.kind == Kind::object ? read_scope(scope, fields)
                                                          : Status(wrong_member("scope", "an object")));
    };
    return read_object("scope", take_scope, "logRecords", [&] { return read_whole_record(); });
  }

  // `outer_` stands behind its opening brace.
  Status read_whole_record() {
    inner_.clear_texts();
    inner_.seek(outer_.at() - 1);
    const auto node = json::read_node(inner_, inner_.value());
    if (!node) return fail(messages::not_json(inner_, false));
    Record record;
    const Status status = read_record(*node, record, records_.start_record());
    records_.add(record, status);
    outer_.seek(inner_.at());
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

  std::string_view body_;
  json::Reader outer_;  // down to the records
  json::Reader inner_;  // of a record
  Records records_;
};

}  // namespace

Result<Outcome> parse_logs_json(std::string_view body, const LogOptions& options, message::Batch& batch) {
  return JsonLogs(body, options, batch).read();
}

}  // namespace varve::protocol::otlp
