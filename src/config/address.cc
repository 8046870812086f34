// SPDX-License-Identifier: Apache-2.0
#include "config/address.h"

#include <arpa/inet.h>

#include "config/units.h"

namespace varve::config {
namespace {

bool is_ipv4(const std::string& host) {
  in_addr bytes{};
  return ::inet_pton(AF_INET, host.c_str(), &bytes) == 1;
}

bool is_ipv6(const std::string& host) {
  in6_addr bytes{};
  return ::inet_pton(AF_INET6, host.c_str(), &bytes) == 1;
}

}  // namespace

Result<Address> parse_address(std::string_view text) {
  const auto wrong =
      fail(Code::invalid, "host:port with an IP address or localhost, such as 127.0.0.1:8080 or [::1]:8080");
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong;
  const auto port = parse_count(text.substr(colon + 1));
  if (!port || *port > 65535) return wrong;
  std::string host(text.substr(0, colon));
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    if (!is_ipv6(host)) return wrong;
  } else if (host.empty()) {
    host = "0.0.0.0";
  } else if (host == "localhost") {
    host = "127.0.0.1";
  } else if (!is_ipv4(host)) {
    return wrong;
  }
  return Address{std::move(host), static_cast<std::uint16_t>(*port)};
}

std::string to_string(const Address& address) {
  const bool ipv6 = address.host.find(':') != std::string::npos;
  return (ipv6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

bool is_loopback(const Address& address) { return address.host == "::1" || address.host.starts_with("127."); }

}  // namespace varve::config
