// SPDX-License-Identifier: Apache-2.0
// From a Response to bytes: heads, errors that the server itself gives, content coding.
#pragma once

#include <string>
#include <string_view>

#include "codec/compression.h"
#include "http/handler.h"

namespace varve::http {

// {"error":"message","errors":["message"]}: what clients of every protocol here find readable.
Response error_response(int status, std::string_view message);
// 503 or 429 with Retry-After.
Response retry_response(int status, std::string_view message, int seconds = 1);

// Appends the text as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

// How the body follows the head.
struct Framing {
  bool keep_alive = true;
  bool http_1_0 = false;
  bool chunked = false;  // else `length`, or up to the end of the connection
  bool until_close = false;
  std::size_t length = 0;
};

// Appends status line and headers, with a Date. Headers whose name or value would break the head are left out.
void append_head(std::string& out, const Response& response, const Framing& framing);

// The coding to answer in, by Accept-Encoding: zstd or gzip, else identity. q=0 forbids.
codec::Coding accepted_coding(std::string_view accept);
std::string_view name_of(codec::Coding coding);

// Compresses the body where the client takes that and it is worth it; sets Content-Encoding and Vary.
// A response with `more` gets the headers and a `more` that compresses as one stream.
void encode(Response& response, std::string_view accept);

}  // namespace varve::http
