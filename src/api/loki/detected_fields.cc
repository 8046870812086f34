// SPDX-License-Identifier: Apache-2.0
// Fields that the newest lines have besides the labels of their streams: structured metadata, and what JSON and logfmt
// give.
#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <variant>

#include "api/loki/handlers.h"
#include "language/logql/condition.h"
#include "language/logql/labels.h"
#include "language/logql/parser.h"
#include "language/logql/pipeline.h"
#include "language/logql/units.h"
#include "protocol/json/writer.h"

namespace varve::api {
namespace {

namespace logql = language::logql;
using protocol::json::Writer;
using Origin = logql::Label::Origin;

constexpr std::uint64_t kFieldsUnlessSaid = 1000;
constexpr std::uint64_t kLinesLookedAt = 100;

std::string_view type_of(std::string_view value) {
  if (value == "true" || value == "false") return "boolean";
  std::int64_t whole = 0;
  const char* const begin = value.data();
  const char* const end = begin + value.size();
  if (const auto read = std::from_chars(begin, end, whole); read.ec == std::errc() && read.ptr == end) {
    return "int";
  }
  if (logql::number_of(value)) return "float";
  if (logql::duration_ns(value)) return "duration";
  return logql::bytes_of(value) ? "bytes" : "string";
}

class DetectedFields {
 public:
  explicit DetectedFields(const LokiAsking& asking) : asking_(asking) {}

  // What the query itself has parsed was found by `query`'s parsers; without any, both are tried.
  Status add(const logql::LogQuery& query, logql::Labels& labels) {
    const auto has = [&](logql::Stage::Kind kind) {
      return std::ranges::any_of(query.stages, [kind](const logql::Stage& stage) { return stage.kind == kind; });
    };
    std::string_view parser = has(logql::Stage::Kind::json) ? "json" : "logfmt";
    if (!has(logql::Stage::Kind::json) && !has(logql::Stage::Kind::logfmt)) {
      parser = labels.line().starts_with('{') ? "json" : "logfmt";
      parser == "json" ? logql::parse_json(labels) : logql::parse_logfmt(labels);
    }
    for (const logql::Label& label : labels.all()) {
      if (label.origin == Origin::stream || label.name.starts_with("__")) continue;
      VARVE_RETURN_IF_ERROR(add(label, label.origin == Origin::parsed ? parser : ""));
    }
    return {};
  }

  // {"values":[…],"limit":…}
  std::string values(std::string_view name, std::uint64_t limit) const {
    std::string out;
    Writer json(out);
    json.begin_object().key("values").begin_array();
    if (const auto found = fields_.find(name); found != fields_.end()) {
      std::uint64_t count = 0;
      for (const std::string& value : found->second.values) {
        if (count++ == limit) break;
        json.value(value);
      }
    }
    json.end_array().member("limit", limit).end_object();
    return out;
  }

  std::string body(std::uint64_t limit) const {
    std::string out;
    Writer json(out);
    json.begin_object().key("fields").begin_array();
    std::uint64_t count = 0;
    for (const auto& [name, field] : fields_) {
      if (count++ == limit) break;
      json.begin_object().member("label", name).member("type", field.type).member("cardinality", field.values.size());
      json.key("parsers");
      if (field.parsers.empty()) {
        json.null();
      } else {
        json.array(field.parsers);
      }
      json.end_object();
    }
    json.end_array().member("limit", limit).end_object();
    return out;
  }

 private:
  struct Field {
    std::string type;
    std::set<std::string, std::less<>> values;
    std::set<std::string, std::less<>> parsers;
  };

  Status add(const logql::Label& label, std::string_view parser) {
    const auto [found, is_new] = fields_.try_emplace(std::string(label.name));
    Field& field = found->second;
    if (is_new) field.type = type_of(label.value);
    if (!parser.empty()) field.parsers.emplace(parser);
    if (field.values.contains(label.value)) return {};
    field.values.emplace(label.value);
    return asking_.source.hold(sizeof *found + label.name.size() + 2 * label.value.size());
  }

  const LokiAsking& asking_;
  std::map<std::string, Field, std::less<>> fields_;
};

// Of the lines that the question is about.
Status detect(const LokiAsking& asking, DetectedFields& fields) {
  VARVE_ASSIGN_OR_RETURN(const auto span, asking.parameters.span(asking.now_ns, kHourNs));
  VARVE_ASSIGN_OR_RETURN(const std::uint64_t lines, asking.parameters.number("line_limit", kLinesLookedAt, 1));
  VARVE_ASSIGN_OR_RETURN(const auto parsed, logql::parse(asking.parameters.get("query").value_or("")));
  const auto* const query = std::get_if<logql::LogQuery>(&parsed);
  if (query == nullptr) return fail(Code::invalid, "detected fields are of a query of lines, not of a metric");
  VARVE_ASSIGN_OR_RETURN(const auto condition, logql::condition_of(*query, asking.source));
  logql::Labels labels;
  std::uint64_t seen = 0;
  return asking.source.find(span, condition, true, [&](message::RowView row) -> Result<bool> {
    labels.read(row);
    if (!logql::run_stages(*query, labels)) return true;
    VARVE_RETURN_IF_ERROR(fields.add(*query, labels));
    return ++seen < lines;
  });
}

}  // namespace

Result<std::string> answer_detected_fields(const LokiAsking& asking) {
  VARVE_ASSIGN_OR_RETURN(const std::uint64_t limit, asking.parameters.number("limit", kFieldsUnlessSaid, 1));
  DetectedFields fields(asking);
  VARVE_RETURN_IF_ERROR(detect(asking, fields));
  return fields.body(limit);
}

// /loki/api/v1/detected_field/{name}/values
Result<std::string> answer_detected_values(const LokiAsking& asking) {
  VARVE_ASSIGN_OR_RETURN(const std::uint64_t limit, asking.parameters.number("limit", kFieldsUnlessSaid, 1));
  DetectedFields fields(asking);
  VARVE_RETURN_IF_ERROR(detect(asking, fields));
  return fields.values(asking.request.captured("name"), limit);
}

}  // namespace varve::api
