// SPDX-License-Identifier: Apache-2.0
// Internal to session/: what is behind Loop and Session.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "snmp/session/session.h"
#include "snmp/session/trap_socket.h"
#include "snmp/session/v3_identity.h"

namespace varve::snmp::session {

class NetSession;

// Finds a session that may be gone, and one of its requests.
struct Ticket {
  std::uint32_t slot = 0, generation = 0;
  std::uint32_t flight = 0, serial = 0;
};

class NetLoop final : public Loop {
 public:
  NetLoop(const LoopOptions& options, const Clock& clock, int epoll, int event);
  ~NetLoop() override;

  Result<std::unique_ptr<Session>> open(Target target) override;
  Result<std::uint16_t> hear(const Peer& at, Ear ear) override;
  void say(const Peer& to, std::string_view datagram) override;
  void turn(std::int64_t wait_ms) override;
  void wake() override;
  [[nodiscard]] std::size_t sessions() const override { return slots_.size() - free_.size(); }
  [[nodiscard]] std::size_t in_flight() const override { return in_flight_; }

 private:
  friend class NetSession;
  struct Slot {
    NetSession* session = nullptr;
    std::uint32_t generation = 0;
  };
  struct Deadline {
    std::int64_t at_ns;
    Ticket ticket;
  };

  void add(NetSession& session);
  void remove(NetSession& session);
  Status watch(const NetSession& session, int descriptor);
  Status watch(std::uint64_t of, int descriptor);
  // All deadlines are as far away when they are made, so they end in their order.
  void expire_later(const Ticket& ticket);
  [[nodiscard]] NetSession* find(std::uint32_t slot, std::uint32_t generation) const;
  void expire();

  const LoopOptions options_;
  const Clock& clock_;
  const int epoll_, event_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::deque<Deadline> deadlines_;
  std::size_t in_flight_ = 0;
  std::unique_ptr<TrapSocket> traps_;
  std::vector<Binding> bindings_;  // of the answer that is handed over
  V3Places places_;
};

// A request that waits for the engine id.
struct HeldRequest {
  Command command = Command::get;
  unsigned non_repeaters = 0, repetitions = 0, tries = 0;
  std::vector<std::vector<Arc>> names = {};
};

class NetSession final : public Session {
 public:
  NetSession(NetLoop& loop, Target target);
  ~NetSession() override;

  Status open();
  Status send(const Request& request, Asker& asker, unsigned tries) override;

  // Called by the loop.
  void on_readable();
  void on_deadline(const Ticket& ticket);

 private:
  friend class NetLoop;
  struct Flight {
    NetSession* session = nullptr;
    Asker* asker = nullptr;  // nullptr: free
    std::uint32_t serial = 0;
    std::unique_ptr<HeldRequest> held = {};  // until the engine id is known
  };

  Status open_library();
  Status open_probe();
  void close_probe();
  Status probe();
  void on_report();
  Status dispatch(const Request& request, Flight& flight, unsigned tries);
  void release_held();
  void finish(Flight& flight, const Answer& answer);
  void fail_all(const Answer& answer);
  // The datagram that is to be read; nullopt: it is not the agent's, and is gone.
  std::optional<std::string_view> peek();
  Answer silence() const;
  [[nodiscard]] Ticket ticket(const Flight& flight) const;
  static int on_library(int operation, void* pdu, void* magic);
  Answer answer_of(const void* pdu);
  struct Callback;

  NetLoop& loop_;
  const Target target_;
  std::uint32_t slot_ = 0, generation_ = 0;
  void* library_ = nullptr;  // the handle; nullptr: the engine id is not known yet
  int descriptor_ = -1;
  std::array<Flight, kInFlightMax> flights_ = {};
  std::optional<V3Identity> identity_ = {};  // of v3
  std::vector<std::size_t> empty_ = {};      // bindings of the answer that is read that have no value
  // Since the last answer:
  bool is_unreadable_ = false, is_foreign_ = false;
  bool was_called_ = false;  // by libsnmp, for what it reads
  // Of the probe:
  std::string engine_ = {};
  int probe_descriptor_ = -1;
  std::uint32_t probe_id_ = 0;
  unsigned probe_tries_left_ = 0;
  std::uint32_t probe_serial_ = 0;
};

}  // namespace varve::snmp::session
