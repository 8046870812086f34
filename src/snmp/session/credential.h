// SPDX-License-Identifier: Apache-2.0
// Credential: how an agent knows us: a community, or a user with keys.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "snmp/session/binding.h"

namespace varve::snmp::session {

enum class Level : std::uint8_t { no_auth, auth, auth_priv };

struct Credential {
  Version version = Version::v2c;
  std::string community = {};  // v1, v2c
  // v3
  std::string user = {};
  Level level = Level::no_auth;
  std::string auth = {}, auth_secret = {};  // "MD5", "SHA", "SHA-224", "SHA-256", "SHA-384", "SHA-512"
  std::string priv = {}, priv_secret = {};  // "DES", "AES"
  bool operator==(const Credential&) const = default;
};

inline constexpr std::size_t kKeyBytesMax = 64;

// What a secret becomes, before it is bound to an agent: hashing a megabyte, 2 ms. So once for each credential.
struct Keys {
  struct Key {
    std::array<unsigned char, kKeyBytesMax> bytes = {};
    std::size_t size = 0;
  };
  Key auth = {}, priv = {};
};

// Errors: invalid (an unknown protocol, a secret of less than 8 characters, a community or user that is missing),
// naming the field. Loop thread only, as everything that asks libsnmp.
Result<Keys> derive_keys(const Credential& credential);

// The same, without deriving.
Status check_credential(const Credential& credential);

}  // namespace varve::snmp::session
