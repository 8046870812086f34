// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/net_session.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "snmp/session/empty_numbers.h"
#include "snmp/session/engine_report.h"
#include "snmp/session/library.h"

namespace varve::snmp::session {
namespace {

static_assert(std::is_same_v<oid, Arc>, "names are handed over as they are");

constexpr std::size_t kReportBytesMax = 2048, kDatagramBytesMax = 65'535;

void set_non_blocking(int descriptor) { ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK); }

std::uint32_t random_id() {
  std::uint32_t id = 0;
  static_cast<void>(::getrandom(&id, sizeof id, 0));
  return id & 0x7fffffff;
}

void set_key(u_char* to, std::size_t& size, const Keys::Key& key) {
  std::memcpy(to, key.bytes.data(), key.size);
  size = key.size;
}

// Fills in what v3 needs; what it points to stays with `secret` and `engine`.
void set_user(netsnmp_session& session, const Secret& secret, const std::string& engine) {
  const Credential& credential = secret.credential;
  session.securityModel = USM_SEC_MODEL_NUMBER;
  session.securityEngineID = reinterpret_cast<u_char*>(const_cast<char*>(engine.data()));
  session.securityEngineIDLen = engine.size();
  session.contextEngineID = session.securityEngineID;
  session.contextEngineIDLen = engine.size();
  session.securityName = const_cast<char*>(credential.user.c_str());
  session.securityNameLen = credential.user.size();
  session.securityLevel = credential.level == Level::no_auth ? SNMP_SEC_LEVEL_NOAUTH
                          : credential.level == Level::auth  ? SNMP_SEC_LEVEL_AUTHNOPRIV
                                                             : SNMP_SEC_LEVEL_AUTHPRIV;
  session.flags |= SNMP_FLAGS_DONT_PROBE;
  if (credential.level == Level::no_auth) return;
  const Protocol hash = find_auth(credential.auth).value_or(Protocol());
  session.securityAuthProto = const_cast<oid*>(hash.name);
  session.securityAuthProtoLen = hash.length;
  set_key(session.securityAuthKey, session.securityAuthKeyLen, secret.keys.auth);
  if (credential.level == Level::auth) return;
  const Protocol cipher = find_priv(credential.priv).value_or(Protocol());
  session.securityPrivProto = const_cast<oid*>(cipher.name);
  session.securityPrivProtoLen = cipher.length;
  set_key(session.securityPrivKey, session.securityPrivKeyLen, secret.keys.priv);
}

int command_of(Command command) {
  return command == Command::get ? SNMP_MSG_GET : command == Command::get_next ? SNMP_MSG_GETNEXT : SNMP_MSG_GETBULK;
}

}  // namespace

Result<std::shared_ptr<const Secret>> make_secret(const Credential& credential) {
  VARVE_ASSIGN_OR_RETURN(const Keys keys, derive_keys(credential));
  return std::make_shared<const Secret>(Secret{credential, keys});
}

// libsnmp's callback is of its own types.
struct NetSession::Callback {
  static int called(int operation, netsnmp_session*, int, netsnmp_pdu* pdu, void* magic) {
    return NetSession::on_library(operation, pdu, magic);
  }
};

NetSession::NetSession(NetLoop& loop, Target target) : loop_(loop), target_(std::move(target)) {
  for (Flight& flight : flights_) flight.session = this;
  loop_.add(*this);
}

NetSession::~NetSession() {
  for (Flight& flight : flights_) {
    if (std::exchange(flight.asker, nullptr) != nullptr) --loop_.in_flight_;  // libsnmp calls back for each, too
  }
  if (library_ != nullptr) snmp_sess_close(library_);
  close_probe();
  loop_.remove(*this);
}

Status NetSession::open() { return target_.secret->credential.version == Version::v3 ? Status() : open_library(); }

Status NetSession::open_library() {
  const Secret& secret = *target_.secret;
  netsnmp_session session;
  snmp_sess_init(&session);
  std::string peer = to_text(target_.peer);
  session.peername = peer.data();
  session.timeout = loop_.options_.timeout_ms * 1000;
  session.retries = 0;
  session.version = secret.credential.version == Version::v1    ? SNMP_VERSION_1
                    : secret.credential.version == Version::v2c ? SNMP_VERSION_2c
                                                                : SNMP_VERSION_3;
  if (secret.credential.version == Version::v3) {
    identity_.emplace(loop_.places_);
    identity_->begin(engine_, secret.credential.user);
    set_user(session, secret, engine_);
  } else {
    session.community = reinterpret_cast<u_char*>(const_cast<char*>(secret.credential.community.data()));
    session.community_len = secret.credential.community.size();
  }
  library_ = snmp_sess_open(&session);
  if (identity_) identity_->made();
  if (library_ == nullptr) {
    const bool no_descriptor = errno == EMFILE || errno == ENFILE;
    return fail(Code::io, no_descriptor ? "no descriptor is left: the limit of open files is too low"
                                        : std::string(snmp_api_errstring(session.s_snmp_errno)));
  }
  descriptor_ = static_cast<int>(snmp_sess_transport(library_)->sock);
  set_non_blocking(descriptor_);
  return loop_.watch(*this, descriptor_);
}

Status NetSession::send(const Request& request, Asker& asker, unsigned tries) {
  const auto free = std::ranges::find(flights_, nullptr, &Flight::asker);
  if (free == flights_.end()) return fail(Code::limit, "as many requests as may be are in flight");
  Flight& flight = *free;
  flight.asker = &asker;
  ++flight.serial;
  ++loop_.in_flight_;
  Status sent;
  if (library_ != nullptr) {
    sent = dispatch(request, flight, tries);
  } else {
    flight.held = std::make_unique<HeldRequest>();
    *flight.held = {request.command, request.non_repeaters, request.repetitions, tries, {}};
    for (const Name name : request.names) flight.held->names.emplace_back(name.begin(), name.end());
    if (probe_descriptor_ < 0) {
      probe_tries_left_ = tries;
      sent = open_probe();
    }
  }
  if (!sent) {
    flight.asker = nullptr;
    flight.held.reset();
    --loop_.in_flight_;
  }
  return sent;
}

Status NetSession::dispatch(const Request& request, Flight& flight, unsigned tries) {
  netsnmp_pdu* const pdu = snmp_pdu_create(command_of(request.command));
  if (request.command == Command::get_bulk) {
    pdu->errstat = request.non_repeaters;  // libsnmp keeps both in the fields of an answer
    pdu->errindex = request.repetitions;
  }
  for (const Name name : request.names) snmp_add_null_var(pdu, name.data(), name.size());
  snmp_sess_session(library_)->retries = static_cast<int>(tries) - 1;
  if (identity_) identity_->take_place();
  if (snmp_sess_async_send(library_, pdu, Callback::called, &flight) == 0) {
    const std::string why = snmp_api_errstring(snmp_sess_session(library_)->s_snmp_errno);
    snmp_free_pdu(pdu);
    return fail(Code::io, why);
  }
  loop_.expire_later(ticket(flight));
  return {};
}

Ticket NetSession::ticket(const Flight& flight) const {
  return {slot_, generation_, static_cast<std::uint32_t>(&flight - flights_.data()), flight.serial};
}

void NetSession::finish(Flight& flight, const Answer& answer) {
  Asker* const asker = flight.asker;
  flight.asker = nullptr;
  flight.held.reset();
  --loop_.in_flight_;
  is_unreadable_ = is_foreign_ = false;
  asker->on_answer(answer);
}

Answer NetSession::answer_of(const void* from) {
  const auto* const pdu = static_cast<const netsnmp_pdu*>(from);
  Answer answer;
  answer.received_ms = loop_.clock_.now_ms();
  if (pdu->command == SNMP_MSG_REPORT) {
    answer.outcome = Outcome::refused;
    answer.why = snmp_api_errstring(snmpv3_get_report_type(const_cast<netsnmp_pdu*>(pdu)));
    return answer;
  }
  const std::string& community = target_.secret->credential.community;
  if (pdu->command != SNMP_MSG_RESPONSE) {
    answer.outcome = Outcome::malformed;
  } else if (pdu->version != SNMP_VERSION_3 && (pdu->community_len != community.size() ||
                                                std::memcmp(pdu->community, community.data(), community.size()) != 0)) {
    answer.outcome = Outcome::bad_community;
  } else {
    answer.error_status = static_cast<int>(pdu->errstat);
    answer.error_index = static_cast<int>(pdu->errindex);
    auto& bindings = loop_.bindings_;
    bindings.clear();
    for (const auto* at = pdu->variables; at != nullptr; at = at->next_variable) bindings.push_back(binding_of(*at));
    for (const std::size_t place : empty_) {
      if (place < bindings.size()) bindings[place].kind = Kind::null;
    }
    answer.bindings = bindings;
  }
  return answer;
}

// Returns what libsnmp wants to hear: 1, the request is done.
int NetSession::on_library(int operation, void* pdu, void* magic) {
  Flight& flight = *static_cast<Flight*>(magic);
  flight.session->was_called_ = true;
  if (flight.asker == nullptr) return 1;
  Answer answer;
  switch (operation) {
    case NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE: answer = flight.session->answer_of(pdu); break;
    case NETSNMP_CALLBACK_OP_TIMED_OUT: answer = flight.session->silence(); break;
    case NETSNMP_CALLBACK_OP_SEND_FAILED: answer.outcome = Outcome::not_sent; break;
    case NETSNMP_CALLBACK_OP_SEC_ERROR:
      answer.outcome = Outcome::refused;
      answer.why = "the answer's authentication or encryption is wrong";
      break;
    default: return 1;  // a second try was sent, and the like
  }
  flight.session->finish(flight, answer);
  return 1;
}

void NetSession::on_readable() {
  if (library_ == nullptr) return on_report();
  const auto datagram = peek();
  if (!datagram) return;
  if (target_.secret->credential.version != Version::v3) empty_ = empty_numbers(*datagram);
  if (identity_) identity_->take_place();
  was_called_ = false;
  netsnmp_large_fd_set& ready = library_descriptors();
  NETSNMP_LARGE_FD_SET(descriptor_, &ready);
  const bool is_read = snmp_sess_read2(library_, &ready) == 0;
  NETSNMP_LARGE_FD_CLR(descriptor_, &ready);
  if (is_read || was_called_) return;
  is_unreadable_ = true;
  if (loop_.options_.unreadable != nullptr) loop_.options_.unreadable->add();
}

// Anybody can send to the socket: who guesses the number of the request would answer for the agent.
std::optional<std::string_view> NetSession::peek() {
  // Not the array itself: what is thread-local every thread has, on its stack, whether it gets here or not.
  static thread_local const auto bytes = std::make_unique_for_overwrite<std::array<char, kDatagramBytesMax>>();
  Peer from;
  from.size = sizeof from.address;
  const auto receive = [&](int flags) {
    return ::recvfrom(descriptor_, bytes->data(), bytes->size(), flags, reinterpret_cast<sockaddr*>(&from.address),
                      &from.size);
  };
  const ssize_t size = receive(MSG_PEEK);
  if (size >= 0 && is_same_place(from, target_.peer)) {
    return std::string_view(bytes->data(), static_cast<std::size_t>(size));
  }
  if (size < 0) return std::nullopt;
  receive(0);
  is_foreign_ = true;
  if (loop_.options_.foreign != nullptr) loop_.options_.foreign->add();
  return std::nullopt;
}

// What it means that all tries are over.
Answer NetSession::silence() const {
  Answer answer;
  answer.outcome = is_unreadable_ ? Outcome::malformed : Outcome::timed_out;
  if (is_unreadable_) {
    answer.why = "a datagram that cannot be read";
  } else if (is_foreign_) {
    answer.why = "what came was from another address";
  }
  return answer;
}

void NetSession::on_deadline(const Ticket& ticket) {
  if (ticket.flight == kInFlightMax) {  // of the probe
    if (library_ != nullptr || probe_descriptor_ < 0 || ticket.serial != probe_serial_) return;
    if (probe_tries_left_ > 0 && probe()) return;
    close_probe();
    return fail_all(silence());
  }
  const Flight& flight = flights_[ticket.flight];
  if (flight.asker == nullptr || flight.serial != ticket.serial || library_ == nullptr) return;
  if (identity_) identity_->take_place();
  snmp_sess_timeout(library_);  // sends again, or calls back
  if (flight.asker != nullptr && flight.serial == ticket.serial) loop_.expire_later(ticket);
}

// --- the probe for a v3 agent's engine id ---

Status NetSession::open_probe() {
  probe_descriptor_ = ::socket(target_.peer.family(), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (probe_descriptor_ < 0) return fail(Code::io, "no socket: " + std::string(std::strerror(errno)));
  VARVE_RETURN_IF_ERROR(loop_.watch(*this, probe_descriptor_));
  return probe();
}

void NetSession::close_probe() {
  if (probe_descriptor_ >= 0) ::close(probe_descriptor_);
  probe_descriptor_ = -1;
}

// A system that does not send is asked again like an agent that is silent.
Status NetSession::probe() {
  --probe_tries_left_;
  probe_id_ = random_id();
  const std::string message = engine_probe(probe_id_);
  static_cast<void>(
      ::sendto(probe_descriptor_, message.data(), message.size(), 0, target_.peer.get(), target_.peer.size));
  loop_.expire_later({slot_, generation_, kInFlightMax, ++probe_serial_});
  return {};
}

void NetSession::on_report() {
  std::array<char, kReportBytesMax> bytes;
  Peer from;
  from.size = sizeof from.address;
  const ssize_t size = ::recvfrom(probe_descriptor_, bytes.data(), bytes.size(), 0,
                                  reinterpret_cast<sockaddr*>(&from.address), &from.size);
  if (size <= 0) return;
  if (!is_same_place(from, target_.peer)) {
    is_foreign_ = true;
    if (loop_.options_.foreign != nullptr) loop_.options_.foreign->add();
    return;
  }
  const auto engine = engine_of_report({bytes.data(), static_cast<std::size_t>(size)}, probe_id_);
  if (!engine) return;  // of somebody else, or too late
  engine_ = *engine;
  close_probe();
  if (!open_library()) return fail_all({.outcome = Outcome::not_sent});
  release_held();
}

void NetSession::release_held() {
  for (Flight& flight : flights_) {
    if (flight.asker == nullptr || flight.held == nullptr) continue;
    const auto held = std::move(flight.held);
    const std::vector<Name> names(held->names.begin(), held->names.end());
    const Request request{held->command, held->non_repeaters, held->repetitions, names};
    // The agent's clock is not known yet: it refuses the first one, and tells its time with that.
    if (dispatch(request, flight, std::max(2U, held->tries))) continue;
    Answer answer;
    answer.outcome = Outcome::not_sent;
    finish(flight, answer);
  }
}

// Those that wait; what their askers send meanwhile begins another probe.
void NetSession::fail_all(const Answer& answer) {
  std::array<std::uint32_t, kInFlightMax> waiting{};
  for (unsigned i = 0; i < kInFlightMax; ++i) waiting[i] = flights_[i].asker != nullptr ? flights_[i].serial : 0;
  for (unsigned i = 0; i < kInFlightMax; ++i) {
    if (waiting[i] != 0 && flights_[i].asker != nullptr && flights_[i].serial == waiting[i])
      finish(flights_[i], answer);
  }
}

}  // namespace varve::snmp::session
