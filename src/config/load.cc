// SPDX-License-Identifier: Apache-2.0
#include "config/load.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <sstream>
#include <system_error>

#include "config/keys.h"
#include "rollup/levels.h"

namespace varve::config {
namespace {

constexpr std::string_view kPrefix = "VARVE_";

// Kubernetes describes a service called "varve" to its neighbours in variables that look like ours.
bool is_kubernetes(std::string_view name) {
  return name.starts_with("VARVE_SERVICE_") || name == "VARVE_PORT" || name.starts_with("VARVE_PORT_");
}

// Port 0 is any free one. An address of all interfaces is that of each.
bool is_same_place(const Address& a, const Address& b) {
  const auto holds = [](const Address& all, const Address& one) {
    return all.host == "::" || (all.host == "0.0.0.0" && one.host.find(':') == std::string::npos);
  };
  return a.port == b.port && a.port != 0 && (a.host == b.host || holds(a, b) || holds(b, a));
}

class Loader {
 public:
  explicit Loader(const Sources& sources) {
    for (const Key& key : keys()) chosen_[key.name] = {std::string(key.name), std::string(key.fallback), ""};
    if (sources.file) read_file(*sources.file);
    for (const auto& variable : sources.environment) read_variable(variable);
    for (const auto& flag : sources.flags) choose(flag);
    apply();
    check_together();
  }

  Loaded take() { return std::move(out_); }

 private:
  void fault(std::string line) { out_.faults.push_back(std::move(line)); }

  void choose(Setting setting) {
    const auto found = chosen_.find(setting.key);
    if (found != chosen_.end()) {
      found->second = std::move(setting);
      return;
    }
    const auto in_group =
        std::ranges::find_if(keys(), [&](const Key& key) { return key.name.starts_with(setting.key + "."); });
    if (in_group != keys().end()) {
      return fault(setting.key + "=" + setting.value + " (" + setting.origin + "): " + setting.key +
                   " is a group of keys, such as " + std::string(in_group->name));
    }
    const Key* near = nearest_key(setting.key);
    fault(setting.key + "=" + setting.value + " (" + setting.origin + "): unknown key; " +
          (near ? "did you mean " + std::string(near->name) + "?" : "`varve check` prints every key there is"));
  }

  void read_file(const std::string& path) {
    std::error_code none;
    if (std::filesystem::is_directory(path, none))
      return fault("--config=" + path + ": this is a directory, not a file");
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (!in || !(text << in.rdbuf())) {
      // An empty file sets failbit on << although nothing is wrong.
      if (!in.is_open() || in.bad()) return fault("--config=" + path + ": this file cannot be read");
    }
    auto settings = parse_yaml(text.str(), path);
    if (!settings) return fault(settings.error().message);
    for (auto& setting : *settings) choose(std::move(setting));
  }

  void read_variable(std::string_view variable) {
    if (!variable.starts_with(kPrefix)) return;
    const std::size_t equals = variable.find('=');
    if (equals == std::string_view::npos || is_kubernetes(variable.substr(0, equals))) return;
    const std::string name(variable.substr(0, equals));
    for (const Key& key : keys()) {
      if (environment_name(key.name) != name) continue;
      return choose({std::string(key.name), std::string(variable.substr(equals + 1)), name});
    }
    fault(name + "=" + std::string(variable.substr(equals + 1)) +
          " (environment): unknown key; VARVE_SLOTS_WIDTH is slots.width, and so on for every key");
  }

  void apply() {
    for (const Key& key : keys()) {
      const Setting& setting = chosen_[key.name];
      if (const auto set = key.set(out_.config, setting.value); !set) {
        const std::string shown = shown_value(key.name, setting.value);
        // Of a list, the entry that is wrong stands in front.
        fault(setting.key + "=" + (shown.empty() ? "\"\"" : shown) + " (" + setting.origin +
              "): " + (set.error().message.starts_with('\'') ? "" : "allowed is ") + set.error().message);
      }
      out_.effective.push_back({setting.key, shown_value(key.name, setting.value), setting.origin});
    }
  }

  [[nodiscard]] const std::string& text(std::string_view key) const { return chosen_.find(key)->second.value; }

  // Only where each value is good by itself: else one mistake would be told twice.
  void check_together() {
    if (!out_.faults.empty()) return;
    check_public("http.listen", out_.config.http.listen);
    if (out_.config.telnet.on) check_public("telnet.listen", out_.config.telnet.listen);
    if (out_.config.syslog.udp_on) check_public("syslog.udp", out_.config.syslog.udp);
    if (out_.config.syslog.tcp_on) check_public("syslog.tcp", out_.config.syslog.tcp);
    if (out_.config.syslog.tls_on) check_tls();
    check_listeners();
    check_slots();
  }

  void check_tls() {
    // With the other key, senders prove who they are.
    if (text("syslog.client_ca").empty()) check_public("syslog.tls", out_.config.syslog.tls);
    for (const auto* key : {"syslog.certificate", "syslog.key"}) {
      if (!text(key).empty()) continue;
      fault("syslog.tls=" + text("syslog.tls") + ": TLS needs a certificate and its key: set " + key +
            "=FILE as well, in PEM");
    }
  }

  // The second of two that listen at one address would fail at the start, when the first one is there already.
  void check_listeners() {
    const auto& config = out_.config;
    check_apart({{"http.listen", true, config.http.listen},
                 {"telnet.listen", config.telnet.on, config.telnet.listen},
                 {"syslog.tcp", config.syslog.tcp_on, config.syslog.tcp},
                 {"syslog.tls", config.syslog.tls_on, config.syslog.tls}});
    check_apart({{"syslog.udp", config.syslog.udp_on, config.syslog.udp},
                 {"snmp.traps", config.snmp.traps_on, config.snmp.traps}});
  }

  struct Listening {
    const char* key;
    bool on;
    const Address& at;
  };
  void check_apart(std::initializer_list<Listening> all) {
    for (const Listening& second : all) {
      for (const Listening& first : all) {
        if (&first == &second) break;
        if (!first.on || !second.on || !is_same_place(first.at, second.at)) continue;
        fault(std::string(second.key) + "=" + text(second.key) + ": " + first.key + "=" + text(first.key) +
              " listens there; allowed is another port or address");
      }
    }
  }

  void check_public(std::string_view key, const Address& address) {
    if (out_.config.http.insecure_public || is_loopback(address)) return;
    fault(std::string(key) + "=" + text(key) +
          ": anyone who reaches this address could read and write everything, for there is no authentication; "
          "allowed is a loopback address such as 127.0.0.1, or say http.insecure_public=true");
  }

  void check_slots() {
    const auto& config = out_.config;
    rollup::Levels levels;
    for (const Rollup& rollup : config.rollups) levels.levels.push_back({rollup.granularity_ms, rollup.retention_ms});
    if (const auto fits = levels.check(config.slots.width_ms); !fits) {
      fault("slots.width=" + text("slots.width") + " with rollups=" + text("rollups") + ": " + fits.error().message);
    }
    if (config.slots.jobs > config.slots.partitions) {
      fault("slots.jobs=" + text("slots.jobs") + ": allowed is at most slots.partitions=" + text("slots.partitions"));
    }
    for (const auto& [first, last] : config.slots.own_ranges) {
      if (last < config.slots.partitions) continue;
      fault("slots.own=" + text("slots.own") +
            ": allowed are partitions below slots.partitions=" + text("slots.partitions"));
      break;
    }
  }

  Loaded out_;
  std::map<std::string_view, Setting, std::less<>> chosen_;  // by key; keys live in the table of keys
};

}  // namespace

Loaded load(const Sources& sources) { return Loader(sources).take(); }

}  // namespace varve::config
