// SPDX-License-Identifier: Apache-2.0
#include "snmp/poller/credential_map.h"

#include <utility>

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
    const auto at = credentials.find(secret.first);
    return at == credentials.end() || to_session(at->second) != secret.second->credential;
  });
  credentials_ = std::move(credentials);
}

Result<std::shared_ptr<const session::Secret>> CredentialMap::find(std::string_view name) {
  if (const auto known = secrets_.find(name); known != secrets_.end()) return known->second;
  const auto at = credentials_.find(name);
  if (at == credentials_.end()) return fail(Code::not_found, "there is no credential '" + std::string(name) + "'");
  auto secret = session::make_secret(to_session(at->second));
  if (!secret) return fail(secret.error().code, "credential '" + std::string(name) + "': " + secret.error().message);
  secrets_.emplace(name, *secret);
  return *secret;
}

}  // namespace varve::snmp::poller
