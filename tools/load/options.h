// SPDX-License-Identifier: Apache-2.0
// The command line of varve-load.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/load/run.h"

namespace varve::load {

struct Options {
  Plan plan;
  Address address;
  bool verify = false;
  std::size_t verify_hosts = 5;
  bool dry = false;        // prepare only
  std::string dry_file;    // "": nowhere; else the bytes of all requests, one connection's behind another's
  std::string query_file;  // "": write
  std::size_t repeat = 1;  // of the query file
  std::size_t laps = 1;    // of the data, each behind the one before
  double samples_per_s = 0;
};

// Throws std::invalid_argument naming the flag and what is allowed.
Options parse_options(const std::vector<std::string_view>& arguments);
std::string_view usage();

// A file of requests: "METHOD PATH LENGTH\n" and LENGTH bytes of body and "\n", again and again.
Prepared read_query_file(const std::string& path, const Wire& wire);

}  // namespace varve::load
