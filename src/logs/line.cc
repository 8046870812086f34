// SPDX-License-Identifier: Apache-2.0
#include "logs/line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/printable.h"
#include "logs/fields.h"
#include "logs/times.h"
#include "logs/xml_line.h"
#include "message/level.h"

namespace varve::logs {
namespace {

constexpr std::int64_t kSystem = 1, kTrace = 4;

// Contrail's names.
std::string level_text(std::string_view number) {
  constexpr std::array<std::string_view, 8> kNames{"SYS_EMERG", "SYS_ALERT",  "SYS_CRIT", "SYS_ERR",
                                                   "SYS_WARN",  "SYS_NOTICE", "SYS_INFO", "SYS_DEBUG"};
  constexpr std::string_view kInvalid = "2147483647";
  if (number.size() == 1 && number[0] >= '0' && number[0] <= '7') {
    return std::string(kNames[static_cast<std::size_t>(number[0] - '0')]);
  }
  return number == kInvalid ? "INVALID" : std::string(number);
}

std::string names_text(const Row& list) {
  std::string out;
  for (const Row& name : list.children) {
    if (!out.empty()) out += ',';
    out += name.text;
  }
  return out;
}

void append_logfmt(std::string& out, const Row& row, const Options& options) {
  constexpr std::pair<std::string_view, std::string_view> kKeys[] = {
      {"Source", "source"},     {"ModuleId", "module"},      {"Messagetype", "type"}, {"NodeType", "node_type"},
      {"Category", "category"}, {"InstanceId", "instance"},  {"IPAddress", "ip"},     {"Type", "kind"},
      {"Pid", "pid"},           {"SequenceNum", "sequence"}, {"ObjectId", "object"}};
  out += "ts=" + rfc3339_time(number_cell(row, "MessageTS", 0));
  if (const auto level = cell(row, "Level"); !level.empty()) {
    const auto name = message::level_name(number_cell(row, "Level", -1));
    append_pair(out, "level", name.empty() ? level : name);
  }
  for (const auto& [column, key] : kKeys) {
    if (const Row* const found = row.find(column)) append_pair(out, key, found->text);
  }
  if (const Row* const names = row.find("ObjectName")) append_pair(out, "objects", names_text(*names));
  append_field_pairs(out, row, options);
  append_pair(out, "msg", text_cell(row));
}

// For people: when, how bad, who, what, and what else the sender said.
void append_plain(std::string& out, const Row& row, const Options& options) {
  constexpr std::size_t kLevelWidth = 7;  // of `warning`: the sources stand below each other
  const auto name = message::level_name(number_cell(row, "Level", -1));
  std::string level(name.empty() ? cell(row, "Level") : name);
  if (level.empty()) level = "-";
  level.resize(std::max(level.size(), kLevelWidth), ' ');
  const auto source = printable(cell(row, "Source")), module = printable(cell(row, "ModuleId"));
  out += plain_time(number_cell(row, "MessageTS", 0)) + ' ' + printable(level) + ' ' + (source.empty() ? "-" : source);
  if (!module.empty()) out += ' ' + module;
  if (const auto pid = cell(row, "Pid"); !module.empty() && !pid.empty()) out += '[' + printable(pid) + ']';
  out += ':';
  if (const std::string text = text_of(row, options.format); !text.empty())
    out += ' ' + printable(text, Newlines::kept);
  if (const auto object = cell(row, "ObjectId"); !object.empty()) append_pair(out, "object", object);
  append_field_pairs(out, row, options);
}

// As contrail-logs has it.
void append_contrail(std::string& out, const Row& row, const Options& options) {
  const auto column = [&](const char* name) { return printable(cell(row, name)); };
  out += local_time(number_cell(row, "MessageTS", 0)) + ' ';
  if (options.trace.empty()) {
    out += column("Source") + " [" + column("NodeType") + ':' + column("ModuleId") + ':' + column("InstanceId");
    if (options.object_table.empty()) {
      out += ':' + column("Category") + "][" + printable(level_text(cell(row, "Level")));
    }
    out += "] : ";
  }
  out += column("Messagetype") + ':';
  if (options.object_table.empty()) out += column("SequenceNum");
  std::string fields;
  if (!options.fields.empty()) append_field_pairs(fields, row, options);
  if (!fields.empty()) out += " {" + fields.substr(1) + "}";
  out += ' ';
  out += printable(text_of(row, options.format), Newlines::kept);
}

}  // namespace

std::string_view cell(const Row& row, std::string_view column) {
  const Row* const found = row.find(column);
  return found == nullptr ? std::string_view() : found->text;
}

std::int64_t number_cell(const Row& row, std::string_view column, std::int64_t otherwise) {
  const std::string_view text = cell(row, column);
  std::int64_t out = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  return read.ec == std::errc() && !text.empty() ? out : otherwise;
}

std::string_view text_cell(const Row& row) {
  for (const char* const column : {"Xmlmessage", "ObjectLog", "SystemLog"}) {
    if (const Row* const found = row.find(column)) return found->text;
  }
  return {};
}

std::string text_of(const Row& row, Format format) {
  const std::string_view text = text_cell(row);
  if (format == Format::raw) return std::string(text);
  const std::int64_t kind = number_cell(row, "Type", 0);
  return xml_line(text, kind == kSystem || kind == kTrace ? XmlForm::values : XmlForm::named);
}

void append_line(std::string& out, const Row& row, const Options& options) {
  if (options.object_values || options.list_types) {
    out += printable(cell(row, options.object_values ? "ObjectId" : "fields.value"));
    out += '\n';
    return;
  }
  switch (options.format) {
    case Format::logfmt: append_logfmt(out, row, options); break;
    case Format::contrail:
    case Format::raw: append_contrail(out, row, options); break;
    case Format::text:
    case Format::json: append_plain(out, row, options); break;
  }
  out += '\n';
}

}  // namespace varve::logs
