// SPDX-License-Identifier: Apache-2.0
#include "logs/question.h"

#include <initializer_list>
#include <utility>

#include "language/analytics/tables.h"
#include "protocol/json/writer.h"

namespace varve::logs {
namespace {

using protocol::json::Writer;

// `all` and one of `choices`, in every way there is.
WhereAny crossed(const WhereAny& all, const WhereAny& choices) {
  if (choices.empty()) return all;
  WhereAny out;
  for (const WhereAll& one : all) {
    for (const WhereAll& choice : choices) {
      out.push_back(one);
      out.back().insert(out.back().end(), choice.begin(), choice.end());
    }
  }
  return out;
}

WhereAny one_of(const char* name, const std::vector<std::string>& values) {
  WhereAny out;
  for (const std::string& value : values) out.push_back({term_of_flag(name, value)});
  return out;
}

WhereTerm column_term(const char* name, const char* value) {
  return {.name = name, .op = 1, .value = value, .value2 = {}};
}

// A list with one empty list: everything.
WhereAny where_of(const Options& o) {
  if (o.list_types) return {{column_term("name", "MessageTable:Messagetype")}};
  WhereAny out(1);
  out = crossed(out, one_of("Source", o.sources));
  out = crossed(out, one_of("ModuleId", o.modules));
  out = crossed(out, one_of("Messagetype", o.message_types));
  if (!o.trace.empty()) out = crossed(out, {{term_of_flag("Messagetype", o.trace)}});
  if (!o.object_id.empty()) out = crossed(out, {{term_of_flag("ObjectId", o.object_id)}});
  out = crossed(out, o.where);
  for (const std::string& word : o.keywords) out = crossed(out, {{term_of_flag("Keyword", word)}});
  return out;
}

WhereAll filter_of(const Options& o) {
  WhereAll out;
  if (!o.node_type.empty()) out.push_back(term_of_flag("NodeType", o.node_type));
  if (!o.instance.empty()) out.push_back(term_of_flag("InstanceId", o.instance));
  if (!o.category.empty()) out.push_back(term_of_flag("Category", o.category));
  if (o.level) out.push_back({.name = "Level", .op = 5, .value = std::to_string(*o.level), .value2 = {}});
  if (!o.trace.empty()) out.push_back(column_term("Type", "trace"));
  return out;
}

std::vector<std::string> selected(const Options& o) {
  if (o.list_fields) return {"*"};
  if (o.object_values) return {"ObjectId"};
  if (o.list_types) return {"fields.value"};
  std::vector<std::string> out{"MessageTS", "Source", "NodeType", "ModuleId", "InstanceId", "Messagetype", "Type"};
  const auto add = [&](std::initializer_list<const char*> names) { out.insert(out.end(), names.begin(), names.end()); };
  add({"Category", "Level", "SequenceNum"});
  const bool all = o.format == Format::json || o.format == Format::logfmt;
  if (all) add({"IPAddress"});
  if (all || o.format == Format::text || o.send_syslog) add({"Pid"});
  if (o.object_table.empty()) {
    if (all) add({"ObjectName"});
    add({"Xmlmessage"});
  } else {
    add({"ObjectId"});
    if (o.object_log.empty()) {
      add({"ObjectLog", "SystemLog"});
    } else {
      out.push_back(o.object_log);
    }
  }
  out.insert(out.end(), o.fields.begin(), o.fields.end());
  if (o.fields.empty() && !o.send_syslog && (all || o.format == Format::text)) add({"*"});
  return out;
}

void write_terms(Writer& json, const WhereAll& all) {
  json.begin_array();
  for (const WhereTerm& term : all) {
    json.begin_object().member("name", term.name).member("value", term.value).member("op", term.op);
    if (!term.value2.empty()) json.member("value2", term.value2);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string question_of(const Options& o) {
  std::string out;
  Writer json(out);
  json.begin_object();
  json.member("table", !o.object_table.empty() ? o.object_table
                       : o.list_types          ? std::string(language::analytics::kFieldNames)
                                               : std::string(language::analytics::kMessageTable));
  json.member("start_time", o.start).member("end_time", o.end);
  json.key("select_fields").array(selected(o));
  if (const WhereAny where = where_of(o); !where.front().empty()) {
    json.key("where").begin_array();
    for (const WhereAll& all : where) write_terms(json, all);
    json.end_array();
  }
  if (const WhereAll filter = filter_of(o); !filter.empty()) write_terms(json.key("filter"), filter);
  const bool in_time = !o.object_values && !o.list_types && !o.list_fields;
  if (in_time && !o.follow) {
    json.key("sort_fields").begin_array().value("MessageTS").end_array().member("sort", o.reverse ? 2 : 1);
  }
  if (o.limit && !o.follow) json.member("limit", *o.limit);
  if (o.follow) json.member("follow", true);
  json.end_object();
  return out;
}

}  // namespace varve::logs
