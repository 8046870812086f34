// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/credential.h"

#include "snmp/session/library.h"

namespace varve::snmp::session {
namespace {

constexpr std::size_t kSecretLeast = 8;  // RFC 3414, section 11.2

Status check_secret(std::string_view field, const std::string& secret) {
  if (secret.size() >= kSecretLeast) return {};
  return fail(Code::invalid, std::string(field) + ": at least 8 characters");
}

Result<Keys::Key> derive(const Protocol& hash, const std::string& secret) {
  Keys::Key key;
  key.size = key.bytes.size();
  const auto* text = reinterpret_cast<const u_char*>(secret.data());
  if (generate_Ku(hash.name, static_cast<u_int>(hash.length), text, secret.size(), key.bytes.data(), &key.size) !=
      SNMPERR_SUCCESS) {
    return fail(Code::invalid, "no key can be made of the secret");
  }
  return key;
}

}  // namespace

Status check_credential(const Credential& credential) {
  if (credential.version != Version::v3) {
    return credential.community.empty() ? fail(Code::invalid, "community: is missing") : Status();
  }
  if (credential.user.empty() || credential.user.size() > 32) return fail(Code::invalid, "user: 1 to 32 bytes");
  if (credential.level == Level::no_auth) return {};
  if (!find_auth(credential.auth)) {
    return fail(Code::invalid, "auth: one of MD5, SHA, SHA-224, SHA-256, SHA-384, SHA-512, as libsnmp has them");
  }
  VARVE_RETURN_IF_ERROR(check_secret("auth_secret", credential.auth_secret));
  if (credential.level == Level::auth) return {};
  if (!find_priv(credential.priv)) return fail(Code::invalid, "priv: DES or AES, as libsnmp has them");
  return check_secret("priv_secret", credential.priv_secret);
}

Result<Keys> derive_keys(const Credential& credential) {
  VARVE_RETURN_IF_ERROR(check_credential(credential));
  Keys keys;
  if (credential.version != Version::v3 || credential.level == Level::no_auth) return keys;
  init_library();
  const auto hash = *find_auth(credential.auth);
  VARVE_ASSIGN_OR_RETURN(keys.auth, derive(hash, credential.auth_secret));
  if (credential.level == Level::auth_priv) {
    VARVE_ASSIGN_OR_RETURN(keys.priv, derive(hash, credential.priv_secret));
  }
  return keys;
}

}  // namespace varve::snmp::session
