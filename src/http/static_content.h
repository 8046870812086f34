// SPDX-License-Identifier: Apache-2.0
// Answers that are always the same, such as the files of a web page, from memory that outlives the server.
#pragma once

#include <string>
#include <string_view>

#include "http/handler.h"

namespace varve::http {

// Always those bytes, with an ETag that is made of them: a client that has them already (If-None-Match) gets a 304. It
// is a weak one, as the bytes on the wire may be compressed.
Handler static_content(std::string_view bytes, std::string content_type);

}  // namespace varve::http
