// SPDX-License-Identifier: Apache-2.0
// From the inventory's credentials to those of sessions, with their keys.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "snmp/inventory/credentials.h"
#include "snmp/session/session.h"

namespace varve::snmp::poller {

// For the loop's thread. Keys are derived when a credential is asked for first.
class CredentialMap {
 public:
  void set(inventory::Credentials credentials);
  // A changed credential is another secret, also if only tenants or networks of it are others. Errors: not_found (there
  // is none, or it is not this tenant's), and those of session::make_secret().
  Result<std::shared_ptr<const session::Secret>> find(std::string_view tenant, std::string_view name);
  // May it be sent there? One that is not the tenant's may not.
  [[nodiscard]] bool may_go_to(std::string_view tenant, std::string_view name, const session::Peer& peer) const;

 private:
  inventory::Credentials credentials_;
  std::map<std::string, std::shared_ptr<const session::Secret>, std::less<>> secrets_;  // by name
};

session::Credential to_session(const inventory::Credential& credential);

}  // namespace varve::snmp::poller
