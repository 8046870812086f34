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

}  // namespace

Result<snmp::inventory::Credentials> read_credentials(const std::string& path) {
  if (path.empty()) return snmp::inventory::Credentials();
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  struct stat about{};
  if (!in || ::stat(path.c_str(), &about) != 0) {
    return fail(Code::io, "snmp.credentials: " + path + " cannot be read");
  }
  if ((about.st_mode & (S_IROTH | S_IWOTH)) != 0) {
    return fail(Code::conflict, "snmp.credentials: others can read " + path + "; chmod 640 makes it the server's own");
  }
  text << in.rdbuf();
  if (in.bad()) return fail(Code::io, "snmp.credentials: " + path + " cannot be read");
  VARVE_ASSIGN_OR_RETURN(auto settings, config::parse_yaml(text.str(), path));
  std::vector<snmp::inventory::CredentialLine> lines;
  for (config::Setting& setting : settings) {
    lines.push_back({std::move(setting.key), std::move(setting.value), std::move(setting.origin)});
  }
  auto read = snmp::inventory::credentials_of(lines);
  if (read.faults.empty()) return std::move(read.credentials);
  std::string all;
  for (const std::string& fault : read.faults) all += (all.empty() ? "" : "; ") + fault;
  return fail(Code::invalid, "snmp.credentials: " + all);
}

Status SnmpParts::start() {
  VARVE_ASSIGN_OR_RETURN(credentials_, read_credentials(credentials_path_));
  turns_.emplace(kInventoryPause, [this](const std::stop_token&) { turn(); });
  return {};
}

void SnmpParts::reload() {
  if (credentials_path_.empty()) return;
  auto read = read_credentials(credentials_path_);
  if (!read) return log::error("credentials of SNMP not reloaded", {{"fault", read.error().message}});
  credentials_ = std::move(*read);
  log::info("credentials of SNMP reloaded", {{"count", std::to_string(credentials_.size())}});
}

// Failures are told once; the next turn tries again.
void SnmpParts::turn() {
  Status done = inventory_.refresh();
  if (done) done = statuses_.exchange(clock_.now_ms());
  if (!done && !is_failing_) log::warn("the inventory of SNMP is not read", {{"error", done.error().message}});
  is_failing_ = !done;
}

api::SnmpContext SnmpParts::context() { return {inventory_, statuses_, {}, pool_, clock_}; }

}  // namespace varve::server
