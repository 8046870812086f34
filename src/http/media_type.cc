// SPDX-License-Identifier: Apache-2.0
#include "http/media_type.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"

namespace varve::http {
namespace {

constexpr CharSet kTokenChars("!#$%&'*+-.^_`|~", true);

void skip_space(std::string_view& text) {
  const auto first = std::ranges::find_if(text, [](char c) { return c != ' ' && c != '\t'; });
  text.remove_prefix(static_cast<std::size_t>(first - text.begin()));
}

// Takes a token off the front of `text`; empty if there is none.
std::string_view take_token(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, [](char c) { return kTokenChars.contains(c); });
  const auto size = static_cast<std::size_t>(end - text.begin());
  const std::string_view token = text.substr(0, size);
  text.remove_prefix(size);
  return token;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// What stands between quotes, without its backslashes. `text` begins behind the first quote.
std::optional<std::string> take_quoted(std::string_view& text) {
  std::string out;
  while (!text.empty()) {
    char c = text.front();
    text.remove_prefix(1);
    if (c == '"') return out;
    if (c == '\\') {
      if (text.empty()) break;
      c = text.front();
      text.remove_prefix(1);
    }
    out += c;
  }
  return std::nullopt;
}

}  // namespace

Result<MediaType> parse_media_type(std::string_view text) {
  const auto bad = [whole = text.substr(0, 200)] {
    return fail(Code::invalid, "'" + std::string(whole) + "' is not a media type");
  };
  MediaType type;
  const std::string_view major = take_token(text);
  if (major.empty() || !take(text, '/')) return bad();
  const std::string_view minor = take_token(text);
  if (minor.empty()) return bad();
  type.essence = lower(major) + "/" + lower(minor);
  for (;;) {
    skip_space(text);
    if (text.empty()) return type;
    if (!take(text, ';')) return bad();
    skip_space(text);
    const std::string_view name = take_token(text);
    if (name.empty()) continue;  // "a/b;" and "a/b;;c=d" are allowed
    if (!take(text, '=')) return bad();
    std::optional<std::string> value;
    if (take(text, '"')) {
      value = take_quoted(text);
    } else if (const std::string_view token = take_token(text); !token.empty()) {
      value = token;
    }
    if (!value) return bad();
    type.parameters.emplace_back(lower(name), std::move(*value));
  }
}

bool is_media_type(std::string_view text, std::string_view essence) {
  // Most are another one, and are told by their first letters.
  const std::string_view front = text.substr(0, essence.size());
  if (!std::ranges::equal(front, essence, {}, [](char c) { return lower(c); })) return false;
  const auto type = parse_media_type(text);
  return type && type->essence == essence;
}

bool accepts(std::string_view accept, std::string_view essence) {
  for (std::string_view rest = accept; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const auto type = parse_media_type(trimmed(item));
    if (!type || type->essence != essence) continue;
    const auto quality = std::ranges::find(type->parameters, "q", &std::pair<std::string, std::string>::first);
    if (quality == type->parameters.end() || quality->second.find_first_not_of("0.") != std::string::npos) return true;
  }
  return false;
}

}  // namespace varve::http
