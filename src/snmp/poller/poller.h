// SPDX-License-Identifier: Apache-2.0
// Poller: polls the devices of all tenants by SNMP and hands what it finds to the store.
//
//   Poller poller(options, parts);
//   poller.start();
//   …
//   poller.stop();        // what was polled is stored first
//
// Threads: one for sessions and polls, one that writes (outbox.h), one that looks every second which devices are polled
// here, one that writes histories, and up to eight that look up names of hosts, for which nobody waits. Replicas share
// devices by leases: two that poll one device for a moment do no harm.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "snmp/inventory/credentials.h"
#include "snmp/poller/fleet.h"
#include "snmp/poller/worker.h"
#include "tracker/ownership.h"
#include "write/writer.h"

namespace varve::snmp::poller {

struct PollerParts {
  write::Writer& writer;
  const Clock& clock;
  Metrics& metrics;
  // Who polls what, of kPartitions. nullptr: this process polls everything.
  tracker::Ownership* ownership = nullptr;
  // All inventories as they are now; asked every second, may block. Errors: then what was known counts.
  std::function<Result<std::shared_ptr<const inventory::Inventories>>()> inventories;
  std::function<void(const std::string& tenant, const std::string& device, inventory::DeviceStatus)> report;
  std::function<void(const std::string& tenant, const std::string& device)> forget;
  RecordHistory record_history;
  TakeTrap take_trap;  // as WorkerParts
  // Starts the engine that takes informs of v3; asked, where traps are heard, until it is known; may block.
  std::function<Result<inventory::EngineStart>()> start_engine;
  counter::Declared::Source declared;  // as WorkerParts
};

class Poller {
 public:
  // All parts outlive it.
  Poller(const PollerOptions& options, PollerParts parts);
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // Errors: io (no descriptor is left), conflict (the address of traps is in use).
  Status start(inventory::Credentials credentials);
  // Ends polls that are under way, and writes what there is.
  void stop();

  [[nodiscard]] std::uint16_t traps_port() const;  // 0: no traps are heard

  // Any thread, once it has started. Devices with another secret are asked anew.
  void set_credentials(inventory::Credentials credentials);
  // The inventory has changed: it is looked at now.
  void look();
  // Polls a device now and stores nothing; `oidset` empty: all of its. Blocks, for a minute at most. Errors: not_found,
  // unavailable, and those of Worker::poll_once().
  Result<std::vector<inventory::PolledSet>> poll_now(const std::string& tenant, const inventory::Inventory& inventory,
                                                     const inventory::Device& device, const std::string& oidset);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace varve::snmp::poller
