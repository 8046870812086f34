// SPDX-License-Identifier: Apache-2.0
// From a Response to bytes: heads, errors that the server itself gives, content coding.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "codec/compression.h"
#include "http/handler.h"

namespace varve::http {

// What an Error is in HTTP: invalid 400, too_large 413, limit 429, unavailable 503 …
int status_of(Code code);
// "Bad Request" for 400, …
std::string_view reason_of(int status);

// {"error":"m","errors":["m"]} and a newline: the shape of errors where a route has no other. With Retry-After for 429
// and 503.
Response error_response(int status, std::string_view message);
inline Response error_response(const Error& error) { return error_response(status_of(error.code), error.message); }

// Adds Retry-After to a 429 or 503.
Response with_retry(Response response);

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
