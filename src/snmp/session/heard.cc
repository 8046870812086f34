// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/heard.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "snmp/session/ber_reader.h"
#include "snmp/session/ber_writer.h"
#include "snmp/session/trap_pdu.h"
#include "snmp/session/v3_keys.h"

namespace varve::snmp::session {
namespace {

constexpr unsigned char kOidTag = 0x06, kCounterTag = 0x41, kReportTag = 0xa8;

// In the order in which a message is looked at.
constexpr std::array kSteps = {Refusal::unknown_engine, Refusal::unknown_user,       Refusal::unsupported_level,
                               Refusal::wrong_digest,   Refusal::not_in_time_window, Refusal::decryption_error};

std::ptrdiff_t step_of(Refusal why) { return std::ranges::find(kSteps, why) - kSteps.begin(); }

// 1.3.6.1.6.3.15.1.1.WHY.0: its counter in usmStats.
std::string counter_name(Refusal why) {
  std::string name = "\x2b\x06\x01\x06\x03\x0f\x01\x01";
  name += static_cast<char>(why);
  name += '\0';
  return name;
}

// The number of the request in a message that hides nothing; else nobody knows it, and it is 0.
std::string request_of(const V3Message& message) {
  if (message.level == Level::auth_priv) return std::string(1, '\0');
  const auto pdu = pdu_of(message.scoped);
  if (!pdu || pdu->empty()) return std::string(1, '\0');
  const auto content = BerReader(*pdu).take(static_cast<unsigned char>(pdu->front()));
  const auto id = content ? BerReader(*content).take(kInteger) : std::nullopt;
  return !id || id->empty() || id->size() > 8 ? std::string(1, '\0') : std::string(*id);
}

// As it is sent: hidden and signed as its level says. "": this libsnmp cannot.
std::string sealed(V3Message message, std::string_view scoped, const Secret* secret, std::uint64_t salt) {
  std::string hidden;
  std::string salted(sizeof salt, '\0');
  store_be64(salted.data(), salt);
  message.scoped = scoped;
  if (message.level == Level::auth_priv) {
    message.salt = salted;
    auto made = hide(scoped, message, *secret);
    if (!made) return {};
    hidden = std::move(*made);
    message.scoped = hidden;
  }
  const std::string blank(message.level == Level::no_auth ? 0 : signature_bytes(*secret), '\0');
  message.signature = blank;
  std::string out = write_v3_message(message);
  return message.level == Level::no_auth || sign(out, *secret) ? out : std::string();
}

}  // namespace

Heard::Heard(std::string_view datagram, Engine* engine) : datagram_(datagram), engine_(engine) {
  if (engine_ != nullptr) message_ = read_v3_message(datagram);
}

// What came farthest tells the sender most: another secret of the same address is not his.
void Heard::refuse(Refusal why, const Secret* signer) {
  if (refusal_ && step_of(*refusal_) >= step_of(why)) return;
  refusal_ = why;
  signer_ = signer;
}

std::optional<TrapMessage> Heard::read(const Secret& secret) {
  if (!message_ || secret.credential.version != Version::v3) return read_trap(datagram_, secret);
  if (message_->engine == engine_->id()) return read_inform(secret);
  auto trap = read_trap(datagram_, secret);
  if (!trap) refuse(Refusal::unknown_engine);
  return trap;
}

std::optional<TrapMessage> Heard::read_inform(const Secret& secret) {
  const Credential& credential = secret.credential;
  const auto refused = [&](Refusal why, const Secret* signer = nullptr) {
    refuse(why, signer);
    return std::nullopt;
  };
  if (message_->user != credential.user) return refused(Refusal::unknown_user);
  if (message_->level != credential.level) return refused(Refusal::unsupported_level);
  std::string scoped(message_->scoped);
  if (credential.level != Level::no_auth) {
    if (!is_signed(datagram_, *message_, secret)) return refused(Refusal::wrong_digest);
    if (!engine_->is_timely(message_->boots, message_->time)) return refused(Refusal::not_in_time_window, &secret);
  }
  if (credential.level == Level::auth_priv) {
    auto plain = unhide(*message_, secret);
    if (!plain || !pdu_of(*plain)) return refused(Refusal::decryption_error);
    scoped = std::move(*plain);
  }
  const auto pdu = pdu_of(scoped);
  auto trap = pdu ? read_trap_pdu(*pdu, Version::v3) : std::nullopt;
  if (!trap || !trap->is_inform) return std::nullopt;
  trap->answer = answer(*without_padding(scoped), secret);
  return trap;
}

// The same inside, as a response.
std::string Heard::answer(std::string_view scoped, const Secret& secret) const {
  std::string inside(scoped);
  inside[static_cast<std::size_t>(pdu_of(inside)->data() - inside.data())] = static_cast<char>(kResponseTag);
  V3Message out = *message_;
  out.wants_report = false;
  out.boots = engine_->boots();
  out.time = engine_->time();
  out.salt = {};
  return sealed(out, inside, &secret, engine_->next_salt());
}

std::optional<Refusal> Heard::refusal() const { return message_ && message_->wants_report ? refusal_ : std::nullopt; }

std::string Heard::report() {
  if (!refusal()) return {};
  const std::uint32_t count = engine_->refuse(*refusal_);
  const std::string name = ber(kOidTag, counter_name(*refusal_));
  const std::string values = ber(kSequence, ber(kSequence, name + ber_number(kCounterTag, count)));
  const std::string zero = ber_number(kInteger, 0);
  const std::string pdu = ber(kReportTag, ber(kInteger, request_of(*message_)) + zero + zero + values);
  V3Message out;
  out.id = message_->id;
  out.level = signer_ != nullptr ? Level::auth : Level::no_auth;
  out.engine = engine_->id();
  out.boots = engine_->boots();
  out.time = engine_->time();
  out.user = message_->user;
  return sealed(out, scoped_of(engine_->id(), pdu), signer_, 0);
}

}  // namespace varve::snmp::session
