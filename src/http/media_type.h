// SPDX-License-Identifier: Apache-2.0
// Content-Type: "application/x-protobuf; proto=prometheus.WriteRequest", in the grammar of RFC 9110, 8.3.1.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace varve::http {

struct MediaType {
  std::string essence;                                          // "type/subtype", in lower case
  std::vector<std::pair<std::string, std::string>> parameters;  // names in lower case; values unquoted
};

// Error: invalid.
Result<MediaType> parse_media_type(std::string_view text);

// Is `text` of this essence (given in lower case), whatever its parameters? False for what is no media type.
bool is_media_type(std::string_view text, std::string_view essence);

// Does the value of an Accept header name this essence (given in lower case)? Ranges such as */* do not.
bool accepts(std::string_view accept, std::string_view essence);

}  // namespace varve::http
