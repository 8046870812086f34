// SPDX-License-Identifier: Apache-2.0
// The flags of `varve logs`; help.cc says what they mean.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "logs/where.h"

namespace varve::logs {

enum class Format : std::uint8_t {
  text,      // for people
  contrail,  // as contrail-logs has it, XML on a line
  raw,       // the same with the text as it was sent
  json,
  logfmt,
};

struct Options {
  std::string url = "http://127.0.0.1:8080";
  std::string ca;  // a file of certificates that the server's is checked with; "": the system's
  std::string tenant;
  std::string user, password;

  std::string start = "now-10m", end = "now";  // as a query has them
  std::vector<std::string> sources, modules, message_types, keywords;
  std::string node_type, instance, category;
  std::optional<std::int32_t> level;  // and what is more severe
  WhereAny where;
  std::string trace;

  std::string object_table;  // "": all messages
  std::string object_id;
  std::string object_log;  // ObjectLog or SystemLog; "": whichever there is
  bool object_values = false;
  bool list_types = false;

  std::optional<std::uint64_t> limit;
  bool reverse = false;
  bool follow = false;
  Format format = Format::text;
  std::vector<std::string> fields;  // these; none: all (text, json, logfmt) or none (contrail, raw)
  bool list_fields = false;         // their names instead of messages
  std::string output_file;
  bool verbose = false;

  bool send_syslog = false;
  std::string syslog_server = "127.0.0.1";
  std::uint16_t syslog_port = 514;

  bool help = false;
};

struct ParsedOptions {
  Options options;
  std::vector<std::string> faults;  // a line each
};
// Reads the file of --conf-file, too.
ParsedOptions parse_options(std::span<const std::string_view> arguments);

}  // namespace varve::logs
