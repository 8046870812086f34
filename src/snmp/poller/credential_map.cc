// SPDX-License-Identifier: Apache-2.0
#include "snmp/poller/credential_map.h"

#include <utility>

#include "snmp/inventory/known_credentials.h"

namespace varve::snmp::poller {

session::Credential to_session(const inventory::Credential& from) {
  session::Credential out;
  out.version = from.version == inventory::SnmpVersion::v1    ? session::Version::v1
                : from.version == inventory::SnmpVersion::v2c ? session::Version::v2c
                                                              : session::Version::v3;
  out.community = from.community;
  out.user = from.user;
  out.level = from.level == inventory::SecurityLevel::no_auth_no_priv ? session::Level::no_auth
              : from.level == inventory::SecurityLevel::auth_no_priv  ? session::Level::auth
                                                                      : session::Level::auth_priv;
  out.auth = from.auth;
  out.auth_secret = from.auth_secret;
  out.priv = from.priv;
  out.priv_secret = from.priv_secret;
  return out;
}

void CredentialMap::set(inventory::Credentials credentials) {
  std::erase_if(secrets_, [&](const auto& secret) {
    const auto before = credentials_.find(secret.first), now = credentials.find(secret.first);
    return before == credentials_.end() || now == credentials.end() || before->second != now->second;
  });
  credentials_ = std::move(credentials);
}

Result<std::shared_ptr<const session::Secret>> CredentialMap::find(std::string_view tenant, std::string_view name) {
  const inventory::Credential* const credential = find_credential(credentials_, tenant, name);
  if (credential == nullptr) return fail(Code::not_found, inventory::no_credential(name));
  if (const auto known = secrets_.find(name); known != secrets_.end()) return known->second;
  auto secret = session::make_secret(to_session(*credential));
  if (!secret) return fail(secret.error().code, "credential '" + std::string(name) + "': " + secret.error().message);
  secrets_.emplace(name, *secret);
  return *secret;
}

bool CredentialMap::may_go_to(std::string_view tenant, std::string_view name, const session::Peer& peer) const {
  const inventory::Credential* const credential = find_credential(credentials_, tenant, name);
  return credential != nullptr && credential->may_go_to(session::host_bytes(peer));
}

}  // namespace varve::snmp::poller
