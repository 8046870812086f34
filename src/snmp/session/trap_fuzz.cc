// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "snmp/session/trap.h"
#include "snmp/session/v3_message.h"

namespace {

using varve::snmp::session::Credential;
using varve::snmp::session::Level;
using varve::snmp::session::Secret;
using varve::snmp::session::Version;

Secret secret_of(Version version, Level level) {
  Credential credential;
  credential.version = version;
  credential.community = "public";
  credential.user = level == Level::no_auth ? "open" : "varve";
  credential.level = level;
  credential.auth = "SHA";
  credential.auth_secret = "a secret to sign";
  credential.priv = "AES";
  credential.priv_secret = "a secret to hide";
  return **varve::snmp::session::make_secret(credential);
}

}  // namespace

// What comes to the address of traps: any bytes. Views of what is read lie inside.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Secret secrets[] = {secret_of(Version::v2c, Level::no_auth), secret_of(Version::v3, Level::no_auth),
                                   secret_of(Version::v3, Level::auth_priv)};
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto message = varve::snmp::session::read_v3_message(bytes)) {
    const auto is_inside = [&](std::string_view part) {
      return part.data() >= bytes.data() && part.data() + part.size() <= bytes.data() + bytes.size();
    };
    if (!is_inside(message->engine) || !is_inside(message->user) || !is_inside(message->signature) ||
        !is_inside(message->salt) || !is_inside(message->scoped)) {
      std::abort();
    }
    if (const auto pdu = varve::snmp::session::pdu_of(message->scoped); pdu && !is_inside(*pdu)) std::abort();
  }
  for (const Secret& secret : secrets) static_cast<void>(varve::snmp::session::read_trap(bytes, secret));
  return 0;
}
