// SPDX-License-Identifier: Apache-2.0
#include "net/endpoint.h"

#include <charconv>

namespace varve::net {

namespace ip = boost::asio::ip;

Result<Endpoint> endpoint_of(const std::string& listen) {
  const auto colon = listen.rfind(':');
  if (colon == std::string::npos) return fail(Code::invalid, "'" + listen + "' is not address:port");
  std::string host = listen.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  std::uint16_t port = 0;
  const char* end = listen.data() + listen.size();
  const auto [stop, number_error] = std::from_chars(listen.data() + colon + 1, end, port);
  boost::system::error_code error;
  const auto address = ip::make_address(host, error);
  if (error || number_error != std::errc() || stop != end) {
    return fail(Code::invalid, "'" + listen + "' is not address:port");
  }
  return Endpoint{address, port};
}

std::string address_text(const ip::address& address) {
  const bool mapped = address.is_v6() && address.to_v6().is_v4_mapped();
  return mapped ? ip::make_address_v4(ip::v4_mapped, address.to_v6()).to_string() : address.to_string();
}

}  // namespace varve::net
