// SPDX-License-Identifier: Apache-2.0
// Answers in the words of esmond's clients, which compare the content type to the letter.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "api/shared/http.h"

namespace varve::api {

inline Response esmond_json(int status, std::string body) {
  return {status, "application/json", {}, std::move(body), {}, false, nullptr, nullptr};
}

// {"error":"…"}
Response esmond_error(int status, std::string_view message, const Request& request);

}  // namespace varve::api
