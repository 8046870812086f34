// SPDX-License-Identifier: Apache-2.0
// Host and port as "Host" and targets name them, and by which names this server may be called. A page that a browser
// has loaded from evil.example may have that name point here afterwards (DNS rebinding): names are how that is seen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace varve::http {

struct Authority {
  std::string host;  // in lower case; of an IPv6 address with its brackets
  std::uint16_t port = 80;
  bool is_address = false;  // IPv4 or IPv6

  friend bool operator==(const Authority&, const Authority&) = default;
};

// "name", "name:port", "1.2.3.4:80", "[::1]:80". Error: invalid, for anything else (no name, a list, a user).
Result<Authority> parse_authority(std::string_view text);

// Names that a server takes as its own besides addresses, names without a dot, localhost and what is below it.
// Each is a name, "*.name" (all below it) or "*" (all); compared without regard to case. Thread-safe.
class HostNames {
 public:
  explicit HostNames(std::vector<std::string> names);
  [[nodiscard]] bool take(const Authority& authority) const;

 private:
  std::vector<std::string> names_;
};

}  // namespace varve::http
