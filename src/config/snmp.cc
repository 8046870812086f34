// SPDX-License-Identifier: Apache-2.0
// Setters of what the poller of SNMP agents does, and of esmond's API for it.
#include <string>

#include "config/setters.h"
#include "config/units.h"

namespace varve::config {
namespace {

constexpr std::uint64_t kRetriesMost = 100;
constexpr std::int64_t kHistoryLeastMs = 86'400'000;
constexpr std::uint64_t kBufferLeast = std::uint64_t{1} << 20;

}  // namespace

Status set_esmond_keys(Config& config, std::string_view text) {
  config.esmond_keys = text;
  return {};
}

Status set_snmp_credentials(Config& config, std::string_view text) {
  config.snmp.credentials = text;
  return {};
}

Status set_snmp_timeout(Config& config, std::string_view text) {
  return set_duration(config.snmp.timeout_ms, text, 10, "10ms");
}

Status set_snmp_retries(Config& config, std::string_view text) {
  const auto count = parse_count(text);
  if (!count || *count > kRetriesMost) return fail(Code::invalid, "a whole number from 0 to 100");
  config.snmp.retries = static_cast<std::uint32_t>(*count);
  return {};
}

Status set_snmp_backoff_max(Config& config, std::string_view text) {
  return set_duration(config.snmp.backoff_max_ms, text, 1000, "1s");
}

Status set_snmp_history(Config& config, std::string_view text) {
  return set_duration(config.snmp.history_ms, text, kHistoryLeastMs, "1d");
}

Status set_snmp_buffer(Config& config, std::string_view text) {
  return set_size(config.snmp.buffer_bytes, text, kBufferLeast, "1MiB");
}

}  // namespace varve::config
