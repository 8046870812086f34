// SPDX-License-Identifier: Apache-2.0
// The flags of `varve device`; help.cc says what they mean.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace varve::devices {

enum class Verb : std::uint8_t { help, add, list, show, set, remove, poll, usage, import_, export_ };

struct Options {
  Verb verb = Verb::help;
  std::string server = "http://127.0.0.1:8080";
  std::string ca = {};  // a file of certificates that the server's is checked with; "": the system's
  std::string tenant = {};
  std::string name = {};    // of the device; of import: the file
  std::string oidset = {};  // of poll; "": all
  bool json = false;

  // Of add and set; nullopt: it is not named. Usage has begin, end and tags, too.
  std::optional<std::string> address = {}, credential = {}, begin = {}, end = {};
  std::optional<std::vector<std::string>> oidsets = {};
  std::vector<std::pair<std::string, std::string>> tags = {};
  std::optional<bool> active = {};

  bool prune = false, check = false;  // of import

  // Of usage; empty: it is not named.
  std::vector<std::string> devices = {}, interfaces = {};
  std::string alias_part = {}, agg = {}, sort = {}, limit = {};
  bool sum = false, csv = false;
};

struct ParsedOptions {
  Options options = {};
  std::vector<std::string> faults = {};  // a line each
};
// `arguments`: what stands behind `device`.
ParsedOptions parse_options(std::span<const std::string_view> arguments);

}  // namespace varve::devices
