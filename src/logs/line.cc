// SPDX-License-Identifier: Apache-2.0
#include "logs/line.h"

#include <array>
#include <charconv>
#include <utility>

#include "base/printable.h"
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

// `k=v`, with quotes where it needs them.
void append_pair(std::string& out, std::string_view key, std::string_view value) {
  constexpr char kHex[] = "0123456789abcdef";
  out += ' ';
  out += key;
  out += '=';
  bool plain = !value.empty();
  for (const char c : value) plain = plain && static_cast<unsigned char>(c) > ' ' && c != '"' && c != '=' && c != 127;
  if (plain) {
    out += value;
    return;
  }
  out += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n' || c == '\t' || c == '\r') {
      out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    } else if (static_cast<unsigned char>(c) < ' ' || c == 127) {
      out += {'\\', 'u', '0', '0', kHex[c >> 4 & 15], kHex[c & 15]};
    } else {
      out += c;
    }
  }
  out += '"';
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
  for (const std::string& field : options.fields) {
    if (const Row* const found = row.find(field)) append_pair(out, field, found->text);
  }
  append_pair(out, "msg", text_cell(row));
}

// ` k=v` of the fields that were asked for, in brackets.
void append_fields(std::string& out, const Row& row, const Options& options) {
  std::string shown;
  for (const std::string& field : options.fields) {
    const Row* const found = row.find(field);
    if (found == nullptr) continue;
    append_pair(shown, field, found->kind == protocol::json::Kind::array ? names_text(*found) : found->text);
  }
  if (!shown.empty()) out += " {" + shown.substr(1) + "}";
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
  if (options.format == Format::logfmt) {
    append_logfmt(out, row, options);
    out += '\n';
    return;
  }
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
  append_fields(out, row, options);
  out += ' ';
  out += printable(text_of(row, options.format), Newlines::kept);
  out += '\n';
}

}  // namespace varve::logs
