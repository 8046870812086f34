// SPDX-License-Identifier: Apache-2.0
// TrapMessages: traps of devices become log messages of their tenants.
//
//   Source: the device   ModuleId: snmptrapd   Messagetype: linkDown, or the trap's oid   Category: snmp   Type: alarm
//   fields: what it brings, by name   object: PhysicalInterfaceTable:DEVICE:INTERFACE, where an interface is known
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/task_pool.h"
#include "message/builder.h"
#include "snmp/inventory/history_store.h"
#include "snmp/poller/worker.h"
#include "write/message_writer.h"

namespace varve::server {

class TrapMessages {
 public:
  static constexpr std::size_t kWaitingMax = 10'000;  // traps that are not stored yet; further ones are dropped

  // What is referred to outlives this. `histories` knows which interface has which index.
  TrapMessages(write::MessageWriter& writer, const snmp::inventory::HistoryStore& histories, const Clock& clock,
               Metrics& metrics);
  // Waits for what is being stored.
  ~TrapMessages();
  TrapMessages(const TrapMessages&) = delete;
  TrapMessages& operator=(const TrapMessages&) = delete;

  // Does not block. `done` is called once: is it stored? Not if too many wait. Any thread.
  void take(const std::string& tenant, const std::string& device, const snmp::session::Peer& from,
            const snmp::session::TrapMessage& trap, snmp::poller::TrapDone done);

  // Of those whose time is out of what is kept.
  static Counter& retimed(Metrics& metrics);

 private:
  struct State;
  const std::shared_ptr<State> state_;
  TaskPool pool_;
};

// As it is stored; `interface`: its name, "" if nobody knows one.
void add_trap(const std::string& device, const std::string& interface, const std::string& address,
              const snmp::session::TrapMessage& trap, std::int64_t time_us, message::Batch& batch);
// The name of the interface that it is of, as it says itself; "" if it does not. `index`: its ifIndex, if it says that.
std::string interface_of(const snmp::session::TrapMessage& trap, std::optional<std::int64_t>& index);

}  // namespace varve::server
