// SPDX-License-Identifier: Apache-2.0
// Credentials: how agents know us, by name, from a file that only the server reads. They are in no store, no answer and
// no line of the log.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "snmp/inventory/network.h"

namespace varve::snmp::inventory {

enum class SnmpVersion : std::uint8_t { v1, v2c, v3 };
enum class SecurityLevel : std::uint8_t { no_auth_no_priv, auth_no_priv, auth_priv };

struct Credential {
  SnmpVersion version = SnmpVersion::v2c;
  std::string community = {};  // of v1 and v2c
  // Of v3:
  std::string user = {};
  SecurityLevel level = SecurityLevel::no_auth_no_priv;
  std::string auth = {}, auth_secret = {};  // MD5, SHA, SHA-224, SHA-256, SHA-384 or SHA-512
  std::string priv = {}, priv_secret = {};  // DES or AES
  std::vector<std::string> tenants = {};    // whose devices may name it; "*": everybody's
  std::vector<Network> networks = {};       // where it may be sent; empty: anywhere
  bool operator==(const Credential&) const = default;

  [[nodiscard]] bool is_of(std::string_view tenant) const;
  [[nodiscard]] bool may_go_to(const AddressBytes& address) const;
};

using Credentials = std::map<std::string, Credential, std::less<>>;

// nullptr: there is none of that name, or it is not this tenant's.
const Credential* find_credential(const Credentials& credentials, std::string_view tenant, std::string_view name);

// A line of the file: `key` is NAME.FIELD (names may have dots, fields have none), `origin` its place for a person.
struct CredentialLine {
  std::string key = {}, value = {}, origin = {};
};

struct ReadCredentials {
  Credentials credentials = {};
  std::vector<std::string> faults = {};  // by place and name; a secret's text is in none of them
};

//   lab: {version: 2c, community: public}
//   core: {version: 3, user: varve, level: authPriv, auth: SHA, auth_secret: …, priv: AES, priv_secret: …}
//   shared: {community: secret, tenants: [a, b], networks: [10.0.0.0/8]}
// Without `version` it is 3 if there is a user, else 2c; without `level` it is what the secrets allow; without
// `tenants` it is the default tenant's alone, and nobody's where there is none.
ReadCredentials credentials_of(std::span<const CredentialLine> lines, const std::string& default_tenant);

}  // namespace varve::snmp::inventory
