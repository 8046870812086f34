// SPDX-License-Identifier: Apache-2.0
// The request target: path, query parameters and the tenant in front of the path. Also form bodies.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
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

// Where in a decoded path there are slashes that were encoded (%2F): they belong to a name and part nothing. Ascending.
using NameSlashes = std::vector<std::size_t>;

// Origin form "/p%20q?a=b" or absolute form "http://host/p?a=b". The path is decoded; "*" stays "*". Error: invalid.
Status parse_target(std::string_view target, std::string& path, Parameters& query, NameSlashes* slashes = nullptr);

// The host (and port, and user) of a target in absolute form; "" of any other.
std::string_view authority_of(std::string_view target);

// The end of the path's segment that begins at `from`: at the next slash that parts, or at the end.
std::size_t segment_end(std::string_view path, std::size_t from, std::span<const std::size_t> slashes);

// "/t/<tenant>/rest" → path becomes "/rest" (and `slashes` go with it), the tenant is returned (not checked: it may be
// empty, and have slashes that were encoded). None if the path has no such prefix.
std::optional<std::string> take_tenant(std::string& path, NameSlashes& slashes);

}  // namespace varve::http
