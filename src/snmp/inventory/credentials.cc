// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/credentials.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/tenant.h"
#include "snmp/inventory/device.h"

namespace varve::snmp::inventory {
namespace {

constexpr std::size_t kSecretCharactersMin = 8;  // RFC 3414, section 11.2; libsnmp refuses shorter ones

constexpr std::string_view kEveryTenant = "*";
constexpr std::string_view kAuths[] = {"MD5", "SHA", "SHA-224", "SHA-256", "SHA-384", "SHA-512"};
constexpr std::string_view kPrivs[] = {"DES", "AES"};
constexpr std::pair<std::string_view, SnmpVersion> kVersions[] = {
    {"1", SnmpVersion::v1}, {"2c", SnmpVersion::v2c}, {"2", SnmpVersion::v2c}, {"3", SnmpVersion::v3}};
constexpr std::pair<std::string_view, SecurityLevel> kLevels[] = {{"noAuthNoPriv", SecurityLevel::no_auth_no_priv},
                                                                  {"authNoPriv", SecurityLevel::auth_no_priv},
                                                                  {"authPriv", SecurityLevel::auth_priv}};

template <class Value, std::size_t n>
std::optional<Value> named(const std::pair<std::string_view, Value> (&names)[n], std::string_view text) {
  for (const auto& [name, value] : names) {
    if (name == text) return value;
  }
  return std::nullopt;
}

// What was said of one credential.
struct Said {
  Credential credential = {};
  std::string origin = {};
  bool version = false, level = false, tenants = false;
};

// "a,b": a list, as it was flattened.
std::vector<std::string> items_of(std::string_view list) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t end = std::min(list.find(',', from), list.size());
    out.emplace_back(list.substr(from, end - from));
    from = end + 1;
  }
  return out;
}

const char* set_tenants(const std::string& value, Said& said) {
  said.tenants = true;
  said.credential.tenants = items_of(value);
  const bool all_good = std::ranges::all_of(said.credential.tenants, [](const std::string& tenant) {
    return tenant == kEveryTenant || model::is_tenant_name(tenant);
  });
  return all_good ? nullptr : "names of tenants were expected, or \"*\" for all";
}

const char* set_networks(const std::string& value, Credential& to) {
  for (const std::string& item : items_of(value)) {
    const auto network = parse_network(item);
    if (!network) return "networks were expected, such as 10.0.0.0/8 or 2001:db8::/32";
    to.networks.push_back(*network);
  }
  return nullptr;
}

class CredentialReader {
 public:
  explicit CredentialReader(const std::string& default_tenant) : default_tenant_(default_tenant) {}

  ReadCredentials read(std::span<const CredentialLine> lines) {
    for (const CredentialLine& line : lines) take(line);
    for (auto& [name, said] : said_) finish(name, said);
    return std::move(out_);
  }

 private:
  void fault(const std::string& origin, const std::string& place, const std::string& what) {
    out_.faults.push_back(origin + ": " + place + ": " + what);
  }

  void take(const CredentialLine& line) {
    const std::size_t dot = line.key.rfind('.');
    if (dot == std::string::npos) {
      return fault(line.origin, line.key, "a map was expected, such as {version: 2c, community: …}");
    }
    const std::string name = line.key.substr(0, dot);
    if (const Status good = check_name(name); !good) return fault(line.origin, name, good.error().message);
    Said& said = said_[name];
    if (said.origin.empty()) said.origin = line.origin;
    if (const char* const wrong = set(line.key.substr(dot + 1), line.value, said)) fault(line.origin, line.key, wrong);
  }

  // What is wrong; nullptr: nothing.
  static const char* set(std::string_view field, const std::string& value, Said& said) {
    Credential& to = said.credential;
    if (field == "version") {
      const auto version = named(kVersions, value);
      if (!version) return "allowed is 1, 2c or 3";
      to.version = *version;
      said.version = true;
    } else if (field == "level") {
      const auto level = named(kLevels, value);
      if (!level) return "allowed is noAuthNoPriv, authNoPriv or authPriv";
      to.level = *level;
      said.level = true;
    } else if (field == "auth") {
      if (std::ranges::find(kAuths, value) == std::end(kAuths)) {
        return "allowed is MD5, SHA, SHA-224, SHA-256, SHA-384 or SHA-512";
      }
      to.auth = value;
    } else if (field == "priv") {
      if (std::ranges::find(kPrivs, value) == std::end(kPrivs)) return "allowed is DES or AES";
      to.priv = value;
    } else if (field == "community" || field == "user") {
      if (value.empty()) return "it may not be empty";
      (field == "user" ? to.user : to.community) = value;
    } else if (field == "auth_secret" || field == "priv_secret") {
      if (value.size() < kSecretCharactersMin) return "a secret has 8 characters at least";
      (field == "auth_secret" ? to.auth_secret : to.priv_secret) = value;
    } else if (field == "tenants") {
      return set_tenants(value, said);
    } else if (field == "networks") {
      return set_networks(value, to);
    } else {
      return "no such field; there are version, community, user, level, auth, auth_secret, priv, priv_secret, "
             "tenants, networks";
    }
    return nullptr;
  }

  void finish(const std::string& name, Said& said) {
    Credential& of = said.credential;
    if (!said.version && !of.user.empty()) of.version = SnmpVersion::v3;
    if (!said.tenants && !default_tenant_.empty()) of.tenants = {default_tenant_};
    const auto need = [&](bool there, const char* field, const char* why) {
      if (!there) fault(said.origin, name + "." + field, std::string("it is missing, ") + why);
    };
    const auto needless = [&](bool there, const char* field, const char* why) {
      if (there) fault(said.origin, name + "." + field, why);
    };
    if (of.version != SnmpVersion::v3) {
      need(!of.community.empty(), "community", "which versions 1 and 2c need");
      needless(!of.user.empty(), "user", "only version 3 has it");
    } else {
      if (!said.level) {
        of.level = !of.priv_secret.empty()   ? SecurityLevel::auth_priv
                   : !of.auth_secret.empty() ? SecurityLevel::auth_no_priv
                                             : SecurityLevel::no_auth_no_priv;
      }
      need(!of.user.empty(), "user", "which version 3 needs");
      needless(!of.community.empty(), "community", "only versions 1 and 2c have it");
      if (of.level != SecurityLevel::no_auth_no_priv) {
        need(!of.auth.empty(), "auth", "which this level needs");
        need(!of.auth_secret.empty(), "auth_secret", "which this level needs");
      }
      if (of.level == SecurityLevel::auth_priv) {
        need(!of.priv.empty(), "priv", "which this level needs");
        need(!of.priv_secret.empty(), "priv_secret", "which this level needs");
      }
    }
    out_.credentials.emplace(name, std::move(of));
  }

  const std::string& default_tenant_;
  std::map<std::string, Said> said_;
  ReadCredentials out_;
};

}  // namespace

bool Credential::is_of(std::string_view tenant) const {
  return std::ranges::any_of(tenants, [&](const std::string& one) { return one == kEveryTenant || one == tenant; });
}

bool Credential::may_go_to(const AddressBytes& address) const {
  return networks.empty() ||
         std::ranges::any_of(networks, [&](const Network& network) { return network.contains(address); });
}

const Credential* find_credential(const Credentials& credentials, std::string_view tenant, std::string_view name) {
  const auto found = credentials.find(name);
  return found == credentials.end() || !found->second.is_of(tenant) ? nullptr : &found->second;
}

ReadCredentials credentials_of(std::span<const CredentialLine> lines, const std::string& default_tenant) {
  return CredentialReader(default_tenant).read(lines);
}

}  // namespace varve::snmp::inventory
