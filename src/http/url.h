// SPDX-License-Identifier: Apache-2.0
// The request target: path, query parameters and the tenant in front of the path. Also form bodies.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace varve::http {

using Parameters = std::vector<std::pair<std::string, std::string>>;

// Appends. False on a percent sign without two hexadecimal digits behind it.
bool percent_decode(std::string_view text, bool plus_is_space, std::string& out);

// "a=1&b=&c" → (a,1) (b,"") (c,""), appended in order, decoded. Error: invalid.
Status parse_query(std::string_view text, Parameters& out);

// Origin form "/p%20q?a=b" or absolute form "http://host/p?a=b". The path is decoded; "*" stays "*". Error: invalid.
Status parse_target(std::string_view target, std::string& path, Parameters& query);

// "/t/<tenant>/rest" → path becomes "/rest", the tenant is returned (not checked); "" if the path has no such prefix.
std::string take_tenant(std::string& path);

}  // namespace varve::http
