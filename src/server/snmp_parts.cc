// SPDX-License-Identifier: Apache-2.0
#include "server/snmp_parts.h"

#include <sys/stat.h>

#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "base/log.h"
#include "config/yaml.h"

namespace varve::server {
namespace {

// A change acts within ten seconds, on all replicas.
constexpr std::chrono::milliseconds kInventoryPause{2000};

// The settings of a file that others must not read; `key` names it in errors.
Result<std::vector<config::Setting>> read_secrets(const std::string& key, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  struct stat about{};
  if (!in || ::stat(path.c_str(), &about) != 0) return fail(Code::io, key + ": " + path + " cannot be read");
  if (S_ISDIR(about.st_mode)) return fail(Code::io, key + ": " + path + " is a directory, not a file");
  if ((about.st_mode & (S_IROTH | S_IWOTH)) != 0) {
    return fail(Code::conflict, key + ": others can read " + path + "; chmod 640 makes it the server's own");
  }
  text << in.rdbuf();
  if (in.bad()) return fail(Code::io, key + ": " + path + " cannot be read");
  return config::parse_yaml(text.str(), path);
}

}  // namespace

Result<snmp::inventory::Credentials> read_credentials(const std::string& path, const std::string& default_tenant) {
  if (path.empty()) return snmp::inventory::Credentials();
  VARVE_ASSIGN_OR_RETURN(auto settings, read_secrets("snmp.credentials", path));
  std::vector<snmp::inventory::CredentialLine> lines;
  for (config::Setting& setting : settings) {
    lines.push_back({std::move(setting.key), std::move(setting.value), std::move(setting.origin)});
  }
  auto read = snmp::inventory::credentials_of(lines, default_tenant);
  if (read.faults.empty()) return std::move(read.credentials);
  return fail(Code::invalid, "snmp.credentials: " + snmp::inventory::joined(read.faults));
}

Result<std::shared_ptr<const api::EsmondUsers>> read_esmond_keys(const std::string& path) {
  if (path.empty()) return nullptr;
  VARVE_ASSIGN_OR_RETURN(auto settings, read_secrets("esmond.keys", path));
  auto users = std::make_shared<api::EsmondUsers>();
  for (config::Setting& setting : settings) {
    if (setting.value.empty()) return fail(Code::invalid, "esmond.keys: " + setting.origin + ": a key is empty");
    users->insert_or_assign(std::move(setting.key), std::move(setting.value));
  }
  return users;
}

Status SnmpParts::start() {
  VARVE_ASSIGN_OR_RETURN(auto users, read_esmond_keys(esmond_keys_path_));
  esmond_keys_.set(std::move(users));
  VARVE_ASSIGN_OR_RETURN(auto credentials, read_credentials(credentials_path_, default_tenant_));
  if (!credentials_path_.empty()) credentials_.set(std::move(credentials));
  static_cast<void>(inventory_.refresh());  // the turns try again, and tell
  turns_.emplace(kInventoryPause, [this](const std::stop_token& stopping) { turn(stopping); });
  return {};
}

void SnmpParts::reload() {
  reload_credentials();
  if (esmond_keys_path_.empty()) return;
  auto users = read_esmond_keys(esmond_keys_path_);
  if (!users) return log::error("keys of esmond not reloaded", {{"fault", users.error().message}});
  log::info("keys of esmond reloaded", {{"count", std::to_string((*users)->size())}});
  esmond_keys_.set(std::move(*users));
}

void SnmpParts::reload_credentials() {
  if (credentials_path_.empty()) return;
  auto read = read_credentials(credentials_path_, default_tenant_);
  if (!read) return log::error("credentials of SNMP not reloaded", {{"fault", read.error().message}});
  if (poller_) poller_->set_credentials(*read);
  log::info("credentials of SNMP reloaded", {{"count", std::to_string(read->size())}});
  credentials_.set(std::move(*read));
}

// Failures are told once; the next turn tries again.
void SnmpParts::turn(const std::stop_token& stopping) {
  Status done = inventory_.refresh();
  if (done) done = speeds_.turn(*inventory_.all(), stopping);
  if (done) done = expiry_.turn(*inventory_.all(), clock_.now_ms());
  if (done) done = statuses_.exchange(clock_.now_ms());
  if (!done && !is_failing_) log::warn("the inventory of SNMP is not read", {{"error", done.error().message}});
  is_failing_ = !done;
}

snmp::poller::PollerOptions poller_options(const config::Config& config) {
  snmp::poller::PollerOptions options{.timeout_ms = config.snmp.timeout_ms,
                                      .retries = config.snmp.retries,
                                      .backoff_max_ms = config.snmp.backoff_max_ms,
                                      .buffer_bytes = config.snmp.buffer_bytes};
  if (config.snmp.traps_on) {
    options.traps = snmp::session::peer_of_address(config.snmp.traps.host, config.snmp.traps.port);
  }
  return options;
}

Status SnmpParts::start_polling(write::Writer& writer, Metrics& metrics, tracker::Ownership* ownership,
                                write::MessageWriter* messages, const std::string& replica) {
  using snmp::inventory::DeviceStatus;
  using snmp::inventory::Oidset;
  using snmp::inventory::WalkedRow;
  const auto record = [this](const std::string& tenant, const std::string& device, const Oidset& oidset,
                             model::Timestamp time, const std::vector<WalkedRow>& rows) {
    const auto changed =
        history_.record_walk(tenant, device, *oidset.history, time, true, snmp::inventory::history_rows(oidset, rows));
    Status kept;
    if (!changed) {
      kept = fail(changed.error());
    } else if (*changed && *oidset.history == snmp::inventory::HistoryKind::interfaces) {
      kept = speeds_.changed(tenant, device);
    }
    if (!kept) log::warn("a history is not kept", {{"device", device}, {"error", kept.error().message}});
  };
  snmp::poller::PollerParts parts{
      .writer = writer,
      .clock = clock_,
      .metrics = metrics,
      .ownership = ownership,
      .inventories = [this]() -> Result<std::shared_ptr<const snmp::inventory::Inventories>> {
        VARVE_RETURN_IF_ERROR(inventory_.refresh());
        return inventory_.all();
      },
      .report = [this](const std::string& tenant, const std::string& device,
                       DeviceStatus status) { statuses_.report(tenant, device, std::move(status)); },
      .forget =
          [this](const std::string& tenant, const std::string& device) {
            statuses_.forget(tenant, device);
            history_.release(tenant, device);
          },
      .record_history = record,
      .take_trap = {},
      .start_engine = [this, replica] { return snmp::inventory::start_engine(texts_, replica, clock_.now_ms()); },
      .declared = [this](auto tenant, auto metric, const auto& tag) { return counters_.find(tenant, metric, tag); }};
  if (messages != nullptr && options_.traps) {
    traps_kept_ = std::make_unique<TrapMessages>(*messages, history_, clock_, metrics);
    parts.take_trap = [this](const auto& tenant, const auto& device, const auto& from, const auto& trap, auto done) {
      traps_kept_->take(tenant, device, from, trap, std::move(done));
    };
  }
  poller_ = std::make_unique<snmp::poller::Poller>(options_, std::move(parts));
  const auto credentials = credentials_.all();
  VARVE_RETURN_IF_ERROR(poller_->start(credentials == nullptr ? snmp::inventory::Credentials() : *credentials));
  if (traps_) {
    config::Address bound = *traps_;
    bound.port = poller_->traps_port();
    log::info("listening", {{"protocol", "SNMP traps"}, {"address", config::to_string(bound)}});
  }
  return {};
}

void SnmpParts::stop_polling() {
  if (poller_) poller_->stop();
  traps_kept_.reset();
}

api::SnmpContext SnmpParts::context() {
  snmp::inventory::PollNow poll_now;
  if (poller_) {
    poll_now = [this](const std::string& tenant, const auto& inventory, const auto& device, const std::string& oidset) {
      return poller_->poll_now(tenant, inventory, device, oidset);
    };
  }
  return {inventory_, history_, statuses_, std::move(poll_now), pool_, clock_};
}

}  // namespace varve::server
