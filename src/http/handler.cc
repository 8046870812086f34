// SPDX-License-Identifier: Apache-2.0
#include "http/handler.h"

#include <algorithm>

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

}  // namespace varve::http
