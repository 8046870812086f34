// SPDX-License-Identifier: Apache-2.0
#include "http/static_content.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/hex.h"
#include "codec/hash.h"

namespace varve::http {
namespace {

std::string weak_tag_of(std::string_view bytes) { return "W/\"" + hex_text(codec::hash64(bytes), 16) + '"'; }

std::string_view without_weakness(std::string_view tag) {
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  return tag;
}

// RFC 9110, 13.1.2: weak and strong tags are equal here.
bool names_tag(std::string_view list, std::string_view tag) {
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), one.size() + 1));
    const std::string_view named = trimmed(one);
    if (named == "*" || without_weakness(named) == without_weakness(tag)) return true;
  }
  return false;
}

}  // namespace

Handler static_content(std::string_view bytes, std::string content_type) {
  return [bytes, type = std::move(content_type), tag = weak_tag_of(bytes)](const Request& request,
                                                                           const Responder& respond) {
    const bool known = names_tag(request.header("if-none-match"), tag);
    Response response = known ? Response::empty(304) : Response::text(200, std::string(bytes));
    if (!known) response.content_type = type;
    response.headers = {{"ETag", tag}, {"Cache-Control", "no-cache"}};
    respond(std::move(response));
  };
}

}  // namespace varve::http
