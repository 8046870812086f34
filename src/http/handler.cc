// SPDX-License-Identifier: Apache-2.0
#include "http/handler.h"

#include <algorithm>

#include "http/answer.h"

namespace varve::http {

std::optional<std::string_view> Request::param(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::string_view Request::header(std::string_view lower_name) const {
  for (const auto& [name, value] : headers) {
    if (name == lower_name) return value;
  }
  return {};
}

std::string_view Request::captured(std::string_view name) const {
  for (const Capture& one : captures) {
    if (one.name == name) return std::string_view(path).substr(one.from, one.length);
  }
  return {};
}

Response Request::error(int status, std::string_view message) const { return shape(status, message, *this); }

Response Request::error(const Error& why) const { return error(status_of(why.code), why.message); }

std::string target_text(const Request& request) {
  std::string out = request.path;
  for (std::size_t i = 0; i < request.query.size(); ++i) {
    out.append(i == 0 ? "?" : "&").append(request.query[i].first).append("=").append(request.query[i].second);
  }
  return out;
}

}  // namespace varve::http
