// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "snmp/session/heard.h"

namespace {

using varve::snmp::session::Credential;
using varve::snmp::session::Level;
using varve::snmp::session::Secret;
using varve::snmp::session::Version;
using namespace std::string_literals;

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

// What comes to the address of traps: any bytes, of agents and of those who send informs to us, an engine in its first
// second. Views of what is read lie inside, and what is answered is a message.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Secret secrets[] = {secret_of(Version::v2c, Level::no_auth), secret_of(Version::v3, Level::no_auth),
                                   secret_of(Version::v3, Level::auth_priv)};
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto message = varve::snmp::session::read_v3_message(bytes)) {
    const auto is_inside = [&](std::string_view part) {
      return part.data() >= bytes.data() && part.data() + part.size() <= bytes.data() + bytes.size();
    };
    if (!is_inside(message->id) || !is_inside(message->engine) || !is_inside(message->user) ||
        !is_inside(message->signature) || !is_inside(message->salt) || !is_inside(message->scoped)) {
      std::abort();
    }
    if (const auto pdu = varve::snmp::session::pdu_of(message->scoped); pdu && !is_inside(*pdu)) std::abort();
  }
  static const varve::ManualClock clock;
  static varve::snmp::session::Engine engine("\x80\x00\x1f\x88\x05\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c"s, 0,
                                             clock);
  varve::snmp::session::Heard heard(bytes, &engine);
  bool is_taken = false;
  for (const Secret& secret : secrets) {
    static_cast<void>(varve::snmp::session::read_trap(bytes, secret));
    const auto trap = heard.read(secret);
    is_taken |= trap.has_value();
    if (trap && trap->is_inform && trap->answer.empty()) std::abort();
  }
  const std::string report = heard.report();
  if (!is_taken && !report.empty() && !varve::snmp::session::read_v3_message(report)) std::abort();
  return 0;
}
