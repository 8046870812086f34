// SPDX-License-Identifier: Apache-2.0
// Setters of what queries may take, and of PromQL.
#include "config/setters.h"

namespace varve::config {

Status set_query_memory(Config& config, std::string_view text) {
  return set_size(config.query.memory_bytes_max, text, std::uint64_t{1} << 20, "1MiB");
}

Status set_query_metrics_max(Config& config, std::string_view text) {
  return set_count(config.query.metrics_max, text, 1, 100'000'000);
}

Status set_query_timeout(Config& config, std::string_view text) {
  return set_duration(config.query.timeout_ms, text, 1, "1ms");
}

Status set_promql_lookback(Config& config, std::string_view text) {
  return set_duration(config.promql.lookback_ms, text, 1, "1ms");
}

Status set_promql_strict(Config& config, std::string_view text) { return set_switch(config.promql.strict, text); }

Status set_promql_max_series(Config& config, std::string_view text) {
  return set_count(config.promql.series_max, text, 1, 1'000'000'000);
}

}  // namespace varve::config
