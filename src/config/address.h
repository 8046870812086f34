// SPDX-License-Identifier: Apache-2.0
// Where to listen: `host:port`, the host an IP address (IPv6 in brackets) or `localhost`; port 0 means any free one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::config {

struct Address {
  std::string host;  // an IP address without brackets
  std::uint16_t port = 0;
  bool operator==(const Address&) const = default;
};

// The error's message says what is allowed. No host means every interface: ":8080" is 0.0.0.0:8080.
Result<Address> parse_address(std::string_view text);

// As it was written; IPv6 in brackets.
std::string to_string(const Address& address);

// Can only this machine reach it?
bool is_loopback(const Address& address);

}  // namespace varve::config
