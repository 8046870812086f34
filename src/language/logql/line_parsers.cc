// SPDX-License-Identifier: Apache-2.0
// | json and | logfmt
#include <string>
#include <utility>

#include "language/logql/pipeline.h"
#include "protocol/json/tree.h"

namespace varve::language::logql {
namespace {

namespace json = protocol::json;

constexpr char kLowestPrintable = ' ' + 1;
constexpr std::size_t kNameBytesMax = 1024;  // of a label, with the names of the objects it stands in

void add_object(Labels& labels, const json::Node& object, const std::string& prefix) {
  for (std::size_t i = 0; i < object.children.size(); ++i) {
    const json::Node& value = object.children[i];
    if (value.kind == json::Kind::null || value.kind == json::Kind::array) continue;
    std::string name = prefix.empty() ? label_name_of(object.names[i]) : prefix + "_" + label_name_of(object.names[i]);
    if (name.size() > kNameBytesMax) {
      labels.set_error("JSONParserErr", "a name has more than 1024 bytes");
    } else if (value.kind == json::Kind::object) {
      add_object(labels, value, name);
    } else {
      labels.add_parsed(labels.keep(std::move(name)), labels.keep(std::string(value.text)));
    }
  }
}

bool ends_bare(char c) { return c < kLowestPrintable && c >= 0; }  // blanks and control characters

// Behind an opening quote; `at` moves behind the closing one, or to the end.
std::string quoted_value(std::string_view line, std::size_t& at) {
  std::string out;
  for (; at < line.size() && line[at] != '"'; ++at) {
    if (line[at] != '\\' || at + 1 == line.size()) {
      out += line[at];
      continue;
    }
    const char c = line[++at];
    out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  }
  if (at < line.size()) ++at;
  return out;
}

}  // namespace

void parse_json(Labels& labels) {
  // The reader may look beyond the end of what it reads.
  std::string padded(labels.line());
  const std::size_t size = padded.size();
  padded.resize(size + 64);
  json::Reader reader(std::string_view(padded).substr(0, size));
  const auto root = json::read_strict(reader);
  if (!root) return labels.set_error("JSONParserErr", "the line is not valid JSON");
  if (root->kind != json::Kind::object) return labels.set_error("JSONParserErr", "the line is not a JSON object");
  add_object(labels, *root, "");
}

void parse_logfmt(Labels& labels) {
  const std::string_view line = labels.line();
  std::size_t at = 0;
  while (at < line.size()) {
    if (ends_bare(line[at])) {
      ++at;
      continue;
    }
    const std::size_t from = at;
    while (at < line.size() && !ends_bare(line[at]) && line[at] != '=') ++at;
    const std::string_view name = line.substr(from, at - from);
    if (at == line.size() || line[at] != '=') continue;  // a word without a value
    std::string value;
    ++at;
    if (at < line.size() && line[at] == '"') {
      ++at;
      value = quoted_value(line, at);
    } else {
      const std::size_t start = at;
      while (at < line.size() && !ends_bare(line[at])) ++at;
      value = line.substr(start, at - start);
    }
    if (!name.empty()) labels.add_parsed(labels.keep(label_name_of(name)), labels.keep(std::move(value)));
  }
}

}  // namespace varve::language::logql
