// SPDX-License-Identifier: Apache-2.0
#include "server/files.h"

#include <fstream>

#include "server/snmp_parts.h"
#include "syslog/listener.h"

namespace varve::server {
namespace {

bool can_be_read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return in && in.peek() != std::ifstream::traits_type::eof();  // of a directory nothing can be read
}

// What the drivers of Cassandra and Redis open; what stands in these files they see themselves.
void add_of_cluster(const config::Config& config, std::vector<std::string>& out) {
  if (config.engine != config::Config::Engine::cluster) return;
  const std::pair<const char*, const std::string&> files[] = {
      {"cassandra.password_file", config.cassandra.password_file},
      {"redis.password_file", config.redis.password_file},
      {"tls.ca", config.tls.ca},
      {"tls.certificate", config.tls.certificate},
      {"tls.key", config.tls.key}};
  for (const auto& [key, path] : files) {
    if (!path.empty() && !can_be_read(path))
      out.push_back(std::string(key) + "=" + path + ": this file cannot be read, or is empty");
  }
}

}  // namespace

std::vector<std::string> file_faults(const config::Config& config) {
  std::vector<std::string> out;
  if (config.syslog.tls_on) {
    const Status good =
        syslog::Listener::check_tls({config.syslog.certificate, config.syslog.key, config.syslog.client_ca});
    if (!good) out.push_back(good.error().message);
  }
  if (const auto credentials = read_credentials(config.snmp.credentials, config.tenant_default); !credentials) {
    out.push_back(credentials.error().message);
  }
  if (const auto users = read_esmond_keys(config.esmond_keys); !users) out.push_back(users.error().message);
  add_of_cluster(config, out);
  return out;
}

}  // namespace varve::server
