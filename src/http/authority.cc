// SPDX-License-Identifier: Apache-2.0
#include "http/authority.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

#include "base/ascii.h"

namespace varve::http {
namespace {

constexpr std::size_t kNameMax = 255;

// What a registered name may be made of (RFC 3986), but for the comma, which joins two lines of a header.
constexpr CharSet kNameChars("-._~%!$&'()*+;=", true);

bool is_ipv4(const std::string& host) {
  in_addr address{};
  return host[0] >= '0' && host[0] <= '9' && ::inet_pton(AF_INET, host.c_str(), &address) == 1;
}

// In brackets.
bool is_ipv6(std::string_view host) {
  in6_addr address{};
  return ::inet_pton(AF_INET6, std::string(host.substr(1, host.size() - 2)).c_str(), &address) == 1;
}

bool ends_in(std::string_view name, std::string_view rest) { return name.size() > rest.size() && name.ends_with(rest); }

}  // namespace

Result<Authority> parse_authority(std::string_view text) {
  const auto bad = [text] { return fail(Code::invalid, "'" + std::string(text.substr(0, 200)) + "' is not a host"); };
  const std::size_t bracket = text.starts_with('[') ? text.find(']') : std::string_view::npos;
  const std::size_t end = bracket != std::string_view::npos ? bracket + 1 : std::min(text.find(':'), text.size());
  Authority authority;
  authority.host.resize(end);
  std::ranges::transform(text.substr(0, end), authority.host.begin(), [](char c) { return lower(c); });
  if (end == 0 || end > kNameMax) return bad();
  if (bracket != std::string_view::npos) {
    authority.is_address = is_ipv6(authority.host);
    if (!authority.is_address) return bad();
  } else {
    if (!std::ranges::all_of(authority.host, [](char c) { return kNameChars.contains(c); })) return bad();
    authority.is_address = is_ipv4(authority.host);
  }
  std::string_view port = text.substr(end);
  if (port.empty() || port == ":") return authority;
  port.remove_prefix(1);
  const auto read = std::from_chars(port.data(), port.data() + port.size(), authority.port);
  if (text[end] != ':' || read.ec != std::errc() || read.ptr != port.data() + port.size()) return bad();
  return authority;
}

HostNames::HostNames(std::vector<std::string> names) : names_(std::move(names)) {
  for (std::string& name : names_) name = lower(name);
}

bool HostNames::take(const Authority& authority) const {
  const std::string_view host = authority.host;
  if (authority.is_address || !host.contains('.') || ends_in(host, ".localhost")) return true;
  return std::ranges::any_of(names_, [&](std::string_view name) {
    return name == host || name == "*" || (name.starts_with("*.") && ends_in(host, name.substr(1)));
  });
}

}  // namespace varve::http
