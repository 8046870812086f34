// SPDX-License-Identifier: Apache-2.0
// Internal to session/: the socket that traps come to.
#pragma once

#include <cstdint>
#include <memory>

#include "snmp/session/session.h"

namespace varve::snmp::session {

class TrapSocket {
 public:
  // Errors: conflict (the address is in use), io.
  static Result<std::unique_ptr<TrapSocket>> open(const Peer& at, Ear ear);
  TrapSocket(int descriptor, Ear ear) : descriptor_(descriptor), ear_(std::move(ear)) {}
  ~TrapSocket();
  TrapSocket(const TrapSocket&) = delete;
  TrapSocket& operator=(const TrapSocket&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::uint16_t port() const;
  // Hands over what has come, but not so much that polls wait for it.
  void on_readable();
  void send(const Peer& to, std::string_view datagram) const;

 private:
  const int descriptor_;
  const Ear ear_;
};

}  // namespace varve::snmp::session
