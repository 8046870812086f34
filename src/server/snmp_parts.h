// SPDX-License-Identifier: Apache-2.0
// SnmpParts: what a server has for SNMP: inventory, history, statuses of devices, credentials, keys of esmond's API.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "api/esmond/routes.h"
#include "api/snmp/inventory.h"
#include "base/clock.h"
#include "base/periodic.h"
#include "base/result.h"
#include "base/task_pool.h"
#include "config/config.h"
#include "server/trap_messages.h"
#include "snmp/inventory/credentials.h"
#include "snmp/inventory/device_counters.h"
#include "snmp/inventory/engine_store.h"
#include "snmp/inventory/history_expiry.h"
#include "snmp/inventory/history_reader.h"
#include "snmp/inventory/history_store.h"
#include "snmp/inventory/inventory_store.h"
#include "snmp/inventory/known_credentials.h"
#include "snmp/inventory/status_board.h"
#include "snmp/poller/poller.h"
#include "storage/passing_texts.h"
#include "storage/text_store.h"
#include "tracker/ownership.h"
#include "write/writer.h"

namespace varve::server {

// The file of `snmp.credentials`; an empty path has none. Errors: io (it cannot be read), conflict (others can read
// it), invalid (one line names every fault; no secret is in it).
Result<snmp::inventory::Credentials> read_credentials(const std::string& path, const std::string& default_tenant);

// The file of `esmond.keys`; nullptr: there is none. Errors: as above.
Result<std::shared_ptr<const api::EsmondUsers>> read_esmond_keys(const std::string& path);

snmp::poller::PollerOptions poller_options(const config::Config& config);

class SnmpParts {
 public:
  // All outlive it. `passing`: nullptr where there is one replica. `counters` learns what inventories and histories
  // say.
  SnmpParts(const config::Config& config, storage::TextStore& texts, storage::PassingTexts* passing,
            snmp::inventory::DeviceCounters& counters, TaskPool& pool, const Clock& clock)
      : options_(poller_options(config)),
        traps_(config.snmp.traps_on ? std::optional(config.snmp.traps) : std::nullopt),
        credentials_path_(config.snmp.credentials),
        default_tenant_(config.tenant_default),
        esmond_keys_path_(config.esmond_keys),
        texts_(texts),
        pool_(pool),
        clock_(clock),
        inventory_(texts, pool, clock, &credentials_),
        history_(texts),
        counters_(counters),
        expiry_(history_, config.snmp.history_ms),
        speeds_(history_, counters, passing != nullptr),
        statuses_(passing) {
    inventory_.listen([this](auto inventories) { counters_.set_inventories(std::move(inventories)); });
  }

  // Reads the inventory once before it returns, if it can be read. Errors: those of read_credentials() and
  // read_esmond_keys().
  Status start();
  // Polls devices from now on, until stop_polling(). `ownership`: as snmp::poller::PollerParts. All outlive that.
  // Errors: those of Poller::start().
  // `messages`: where traps are stored; nullptr: nowhere. `replica`: its name, as long as it has this store.
  Status start_polling(write::Writer& writer, Metrics& metrics, tracker::Ownership* ownership,
                       write::MessageWriter* messages, const std::string& replica);
  void stop_polling();
  // Reads the credentials and keys again; if they are wrong, says so and keeps what there was. Of the thread that
  // starts.
  void reload();

  [[nodiscard]] api::SnmpContext context();
  [[nodiscard]] api::EsmondContext esmond_context() { return {inventory_, history_, esmond_keys_}; }

 private:
  void turn(const std::stop_token& stopping);
  void reload_credentials();

  const snmp::poller::PollerOptions options_;
  const std::optional<config::Address> traps_;
  const std::string credentials_path_;
  const std::string default_tenant_;
  const std::string esmond_keys_path_;
  storage::TextStore& texts_;
  TaskPool& pool_;
  const Clock& clock_;
  snmp::inventory::KnownCredentials credentials_;
  snmp::inventory::InventoryStore inventory_;
  snmp::inventory::HistoryStore history_;
  snmp::inventory::DeviceCounters& counters_;
  snmp::inventory::HistoryExpiry expiry_;
  snmp::inventory::HistoryReader speeds_;
  snmp::inventory::StatusBoard statuses_;
  api::EsmondKeys esmond_keys_;
  bool is_failing_ = false;
  std::unique_ptr<TrapMessages> traps_kept_;      // none: they are not stored
  std::unique_ptr<snmp::poller::Poller> poller_;  // none: this process does not poll
  std::optional<Periodic> turns_;                 // the last member: its thread uses the others
};

}  // namespace varve::server
