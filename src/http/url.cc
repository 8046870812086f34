// SPDX-License-Identifier: Apache-2.0
#include "http/url.h"

#include <algorithm>

#include "base/check.h"
#include "base/hex.h"

namespace varve::http {
namespace {

std::unexpected<Error> bad(std::string_view text) {
  return fail(Code::invalid, "bad percent encoding in '" + std::string(text.substr(0, 200)) + "'");
}

// Of "scheme://" in front of a target in absolute form, else 0.
std::size_t scheme_size(std::string_view target) {
  const auto end = target.find("://");
  const bool absolute = end != std::string_view::npos && end != 0 && target[0] != '/' &&
                        target.substr(0, end).find_first_of("?#") == std::string_view::npos;
  return absolute ? end + 3 : 0;
}

// Of what stands before the path.
std::size_t authority_size(std::string_view rest) { return std::min(rest.find_first_of("/?#"), rest.size()); }

// In a path that decodes.
void find_slashes(std::string_view path, NameSlashes& slashes) {
  std::size_t before = 0;  // characters that escapes have more than what they stand for
  for (std::size_t at = path.find('%'); at != std::string_view::npos; at = path.find('%', at + 3)) {
    if (path[at + 1] == '2' && (path[at + 2] | 0x20) == 'f') slashes.push_back(at - before);
    before += 2;
  }
}

}  // namespace

bool percent_decode(std::string_view text, bool plus_is_space, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size()) return false;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return false;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return true;
}

Status parse_query(std::string_view text, Parameters& out) {
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(pair.size() == text.size() ? pair.size() : pair.size() + 1);
    if (pair.empty()) continue;
    const auto equals = pair.find('=');
    auto& [name, value] = out.emplace_back();
    if (!percent_decode(pair.substr(0, equals), true, name)) return bad(pair);
    if (equals != std::string_view::npos && !percent_decode(pair.substr(equals + 1), true, value)) return bad(pair);
  }
  return {};
}

std::string_view authority_of(std::string_view target) {
  const std::size_t scheme = scheme_size(target);
  if (scheme == 0) return {};
  target.remove_prefix(scheme);
  return target.substr(0, authority_size(target));
}

std::size_t segment_end(std::string_view path, std::size_t from, std::span<const std::size_t> slashes) {
  std::size_t at = path.find('/', from);
  while (at != std::string_view::npos && std::ranges::binary_search(slashes, at)) at = path.find('/', at + 1);
  return std::min(at, path.size());
}

Status parse_target(std::string_view target, std::string& path, Parameters& query, NameSlashes* slashes) {
  path.clear();
  if (slashes != nullptr) slashes->clear();
  if (const std::size_t scheme = scheme_size(target); scheme != 0) {
    target.remove_prefix(scheme);
    target.remove_prefix(authority_size(target));
  }
  target = target.substr(0, target.find('#'));
  const auto mark = target.find('?');
  const std::string_view text = target.substr(0, mark);
  if (!text.empty() && text[0] != '/' && text != "*") return fail(Code::invalid, "the request target is not a path");
  if (!percent_decode(text, false, path)) return bad(target);
  if (slashes != nullptr) find_slashes(text, *slashes);
  if (path.empty()) path = "/";
  if (mark == std::string_view::npos) return {};
  return parse_query(target.substr(mark + 1), query);
}

std::optional<std::string> take_tenant(std::string& path, NameSlashes& slashes) {
  constexpr std::size_t kPrefix = 3;
  if (!path.starts_with("/t/") || segment_end(path, 1, slashes) != kPrefix - 1) return std::nullopt;
  const std::size_t end = segment_end(path, kPrefix, slashes);
  check(end >= kPrefix && end <= path.size(), "the tenant lies in the path");
  std::string tenant = path.substr(kPrefix, end - kPrefix);
  path.erase(0, end);
  if (path.empty()) path = "/";
  std::erase_if(slashes, [&](std::size_t at) { return at <= end; });
  for (std::size_t& at : slashes) at -= end;
  return tenant;
}

}  // namespace varve::http
