// SPDX-License-Identifier: Apache-2.0
#include "logs/conf_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

namespace varve::logs {
namespace {

std::string stripped(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

}  // namespace

Result<std::map<std::string, std::string>> read_conf_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) return fail(Code::io, path + ": " + std::strerror(errno));
  std::map<std::string, std::string> out;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string text = stripped(line);
    if (text.empty() || text[0] == '#' || text[0] == ';' || text[0] == '[') continue;
    const std::size_t equals = text.find_first_of("=:");
    if (equals == std::string::npos) {
      return fail(Code::invalid, path + ":" + std::to_string(number) + ": \"name = value\" is expected");
    }
    std::string name = stripped(std::string_view(text).substr(0, equals));
    std::ranges::replace(name, '_', '-');
    out[name] = stripped(std::string_view(text).substr(equals + 1));
  }
  return out;
}

}  // namespace varve::logs
