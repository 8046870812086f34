// SPDX-License-Identifier: Apache-2.0
#include "config/yaml.h"

#include <yaml-cpp/yaml.h>

#include <map>
#include <utility>

#include "base/hex.h"

namespace varve::config {
namespace {

std::string line_of(std::string_view file, const YAML::Mark& mark) {
  return std::string(file) + ":" + std::to_string(mark.line + 1);
}

Error given_twice(const std::string& second, const std::string& key, const std::string& first) {
  return {Code::invalid, second + ": " + key + " is given twice, first in " + first};
}

// yaml-cpp would let the last of two entries win, without a word.
Status check_names(const YAML::Node& map, const std::string& path, std::string_view file) {
  std::map<std::string, std::string> seen;
  for (const auto& entry : map) {
    if (!entry.first.IsScalar()) return fail(Code::invalid, line_of(file, map.Mark()) + ": a key must be a plain word");
    const std::string& name = entry.first.Scalar();
    const std::string here = line_of(file, entry.first.Mark());
    const auto [first, is_new] = seen.emplace(name, here);
    if (!is_new) return fail(given_twice(here, path.empty() ? name : path + "." + name, first->second));
  }
  return {};
}

// `a.b: 1` and `a: {b: 2}`.
Status check_paths(const std::vector<Setting>& settings) {
  std::map<std::string_view, std::string_view> seen;
  for (const Setting& setting : settings) {
    const auto [first, is_new] = seen.emplace(setting.key, setting.origin);
    if (!is_new) return fail(given_twice(setting.origin, setting.key, std::string(first->second)));
  }
  return {};
}

// `mark` is where the node's key stands.
Status flatten(const YAML::Node& node, const YAML::Mark& mark, const std::string& path, std::string_view file,
               std::vector<Setting>& out) {
  const std::string origin = std::string(file) + ":" + std::to_string(mark.line + 1);
  if (node.IsMap()) {
    VARVE_RETURN_IF_ERROR(check_names(node, path, file));
    for (const auto& entry : node) {
      const std::string& name = entry.first.Scalar();
      VARVE_RETURN_IF_ERROR(
          flatten(entry.second, entry.first.Mark(), path.empty() ? name : path + "." + name, file, out));
    }
    return {};
  }
  if (path.empty()) {
    if (node.IsNull()) return {};
    return fail(Code::invalid, origin + ": a map of keys was expected");
  }
  std::string value;
  if (node.IsScalar()) {
    value = node.Scalar();
  } else if (node.IsSequence()) {
    for (const auto& item : node) {
      if (!item.IsScalar()) return fail(Code::invalid, origin + ": " + path + ": a list of plain values was expected");
      if (!value.empty()) value += ',';
      value += item.Scalar();
    }
  }
  out.push_back({path, std::move(value), origin});
  return {};
}

// An open quote at the end of the text is no error to yaml-cpp, unless something other than blanks stands in it. So a
// comment is put behind the text.
constexpr std::string_view kEnd = "\n#end of the configuration";

constexpr std::size_t kJsonValuesMax = 1'000'000;  // aliases make many of few

void append_json_text(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      append_hex(out += "\\u00", {&c, 1});
    } else {
      out += c;
    }
  }
  out += '"';
}

Status append_json(std::string& out, const YAML::Node& node, std::string_view file, std::size_t& values) {
  const std::string origin = std::string(file) + ":" + std::to_string(node.Mark().line + 1);
  if (++values > kJsonValuesMax) return fail(Code::invalid, origin + ": more than a million values");
  if (node.IsMap()) {
    VARVE_RETURN_IF_ERROR(check_names(node, "", file));
    char before = '{';
    for (const auto& entry : node) {
      out += std::exchange(before, ',');
      append_json_text(out, entry.first.Scalar());
      out += ':';
      VARVE_RETURN_IF_ERROR(append_json(out, entry.second, file, values));
    }
    out += before == '{' ? "{}" : "}";
  } else if (node.IsSequence()) {
    char before = '[';
    for (const auto& item : node) {
      out += std::exchange(before, ',');
      VARVE_RETURN_IF_ERROR(append_json(out, item, file, values));
    }
    out += before == '[' ? "[]" : "]";
  } else if (!node.IsScalar()) {
    out += "null";
  } else if (const bool plain = node.Tag() == "?"; plain && (node.Scalar() == "true" || node.Scalar() == "false")) {
    out += node.Scalar();
  } else {
    append_json_text(out, node.Scalar());
  }
  return {};
}

// Plain where YAML reads the same text back as one scalar; else in double quotes.
std::string in_quotes(std::string_view value) {
  const bool plain = !value.empty() && value.find_first_of(" #{}[]&*!|>'\"%@`?\\\n\t") == std::string_view::npos &&
                     value.find(": ") == std::string_view::npos && !value.ends_with(':') && value[0] != '-' &&
                     value[0] != ':';
  if (plain) return std::string(value);
  YAML::Emitter emitter;
  emitter << YAML::DoubleQuoted << std::string(value);
  return emitter.c_str();
}

}  // namespace

Result<std::vector<Setting>> parse_yaml(std::string_view text, std::string_view name) {
  std::vector<Setting> settings;
  try {
    const YAML::Node root = YAML::Load(std::string(text) + std::string(kEnd));
    VARVE_RETURN_IF_ERROR(flatten(root, root.Mark(), "", name, settings));
    VARVE_RETURN_IF_ERROR(check_paths(settings));
  } catch (const YAML::Exception& e) {
    return fail(Code::invalid, std::string(name) + ":" + std::to_string(e.mark.line + 1) + ": " + e.msg);
  }
  return settings;
}

Result<std::string> yaml_to_json(std::string_view text, std::string_view name) {
  std::string out;
  std::size_t values = 0;
  try {
    const YAML::Node root = YAML::Load(std::string(text) + std::string(kEnd));
    VARVE_RETURN_IF_ERROR(append_json(out, root, name, values));
  } catch (const YAML::Exception& e) {
    return fail(Code::invalid, std::string(name) + ":" + std::to_string(e.mark.line + 1) + ": " + e.msg);
  }
  return out;
}

std::string to_yaml(const std::vector<Setting>& settings) {
  std::string out;
  std::string_view open;  // the map whose entries are being written
  for (const Setting& setting : settings) {
    const std::size_t dot = setting.key.find('.');
    const std::string_view key = setting.key;
    const std::string_view map = dot == std::string::npos ? std::string_view() : key.substr(0, dot);
    if (map != open && !map.empty()) out.append(map).append(":\n");
    open = map;
    std::string line = map.empty() ? setting.key : "  " + setting.key.substr(dot + 1);
    line += ": " + in_quotes(setting.value);
    if (!setting.origin.empty()) {
      line.resize(std::max<std::size_t>(line.size() + 2, 44), ' ');
      line += "# " + setting.origin;
    }
    out += line + "\n";
  }
  return out;
}

}  // namespace varve::config
