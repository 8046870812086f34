// SPDX-License-Identifier: Apache-2.0
// Resolver: looks up names of hosts on threads of its own. Nobody waits for these, not even its destructor: a look-up
// may take half a minute while the system's resolvers are silent.
#pragma once

#include <functional>
#include <memory>

#include "snmp/inventory/device.h"
#include "snmp/session/peer.h"

namespace varve::snmp::poller {

class Resolver {
 public:
  using LookUp = std::function<Result<session::Peer>(const inventory::HostPort& at)>;
  using Done = std::function<void(const Result<session::Peer>& peer)>;

  // `look_up` may block; it is called by several threads, also after this is gone.
  explicit Resolver(LookUp look_up = [](const auto& at) { return session::resolve(at.host, at.port); });
  // No `done` is called any more.
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // Calls `done` later, from another thread; it must be short. False: too many wait. Any thread.
  [[nodiscard]] bool post(inventory::HostPort at, Done done);

 private:
  struct State;
  static void work(const std::shared_ptr<State>& state);

  const std::shared_ptr<State> state_;
};

}  // namespace varve::snmp::poller
