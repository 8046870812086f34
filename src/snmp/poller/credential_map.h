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
  // Errors: not_found, and those of session::make_secret().
  Result<std::shared_ptr<const session::Secret>> find(std::string_view name);

 private:
  inventory::Credentials credentials_;
  std::map<std::string, std::shared_ptr<const session::Secret>, std::less<>> secrets_;
};

session::Credential to_session(const inventory::Credential& credential);

}  // namespace varve::snmp::poller
