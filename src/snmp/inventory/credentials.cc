// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/credentials.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "snmp/inventory/device.h"

namespace varve::snmp::inventory {
namespace {

constexpr std::size_t kSecretCharactersMin = 8;  // RFC 3414, section 11.2; libsnmp refuses shorter ones

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
  bool version = false, level = false;
};

class CredentialReader {
 public:
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
    } else {
      return "no such field; there are version, community, user, level, auth, auth_secret, priv, priv_secret";
    }
    return nullptr;
  }

  void finish(const std::string& name, Said& said) {
    Credential& of = said.credential;
    if (!said.version && !of.user.empty()) of.version = SnmpVersion::v3;
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

  std::map<std::string, Said> said_;
  ReadCredentials out_;
};

}  // namespace

ReadCredentials credentials_of(std::span<const CredentialLine> lines) { return CredentialReader().read(lines); }

}  // namespace varve::snmp::inventory
