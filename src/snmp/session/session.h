// SPDX-License-Identifier: Apache-2.0
// Session: one agent to ask, over UDP, by libsnmp. Loop: the event loop that all sessions of a thread share.
//
//   auto loop = *Loop::make({}, clock);
//   auto session = *loop->open({peer, secret});
//   session->send(request, asker, 3);
//   while (…) loop->turn(100);                  // calls asker.on_answer()
//
// Loop and sessions belong to the thread that makes the loop, except for wake(); there is one such thread in a process,
// because libsnmp keeps its users and clocks of v3 in one place without a lock; sessions take turns there, so that
// equal engine ids and names of users do not matter. Answers are taken from the address that was asked alone. Nothing
// here blocks: a v3 agent is asked for its engine id by a probe of our own, before libsnmp would.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "snmp/session/binding.h"
#include "snmp/session/credential.h"
#include "snmp/session/peer.h"

namespace varve::snmp::session {

// A credential with its keys, for any number of sessions.
struct Secret {
  Credential credential = {};
  Keys keys = {};
};
// Errors: those of derive_keys().
Result<std::shared_ptr<const Secret>> make_secret(const Credential& credential);

struct Target {
  Peer peer = {};
  std::shared_ptr<const Secret> secret = {};
};

struct LoopOptions {
  std::int64_t timeout_ms = 2000;  // of one try
  // Counts datagrams that did not come from where was asked, and those that cannot be read; if there.
  Counter* foreign = nullptr;
  Counter* unreadable = nullptr;
};

class Session;

// Hears what comes unasked, from anybody. What it returns is sent back; "": nothing.
using Ear = std::function<std::string(const Peer& from, std::string_view datagram)>;

class Loop {
 public:
  // Errors: io (no descriptor is left).
  static Result<std::unique_ptr<Loop>> make(const LoopOptions& options, const Clock& clock);
  // Sessions are gone before.
  virtual ~Loop() = default;

  // Sends nothing. Errors: io (no descriptor is left), invalid (the library will not have it).
  virtual Result<std::unique_ptr<Session>> open(Target target) = 0;

  // From now on turn() hands over what comes to this address; once. Returns the port. Errors: conflict (it is in use),
  // io.
  virtual Result<std::uint16_t> hear(const Peer& at, Ear ear) = 0;
  // Sends from there; what cannot be sent is lost, as datagrams are.
  virtual void say(const Peer& to, std::string_view datagram) = 0;

  // Waits for at most this long, or until something comes, and hands over what came and what timed out.
  virtual void turn(std::int64_t wait_ms) = 0;
  // Ends the wait of a turn(), this one or the next. Any thread.
  virtual void wake() = 0;

  [[nodiscard]] virtual std::size_t sessions() const = 0;
  [[nodiscard]] virtual std::size_t in_flight() const = 0;  // requests, of all sessions
};

class Session {
 public:
  static constexpr unsigned kInFlightMax = 4;

  // Requests in flight are forgotten: their askers are not called.
  virtual ~Session() = default;

  // Asks; `asker` lives until it is called or the session is gone. `tries`: how often it is sent at most, each try
  // waiting for the loop's timeout. A v3 agent that is not known yet takes as many tries to become so.
  // Errors: limit (kInFlightMax are in flight), io (it was not sent: the asker is not called).
  virtual Status send(const Request& request, Asker& asker, unsigned tries) = 0;
};

}  // namespace varve::snmp::session
