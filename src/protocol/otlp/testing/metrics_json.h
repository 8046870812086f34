// SPDX-License-Identifier: Apache-2.0
// For tests: requests of metrics in JSON, of what a test is about.
#pragma once

#include <string>

namespace varve::protocol::otlp::testing {

// Of metrics, and attributes of their resource.
inline std::string metrics_of(const std::string& metrics, const std::string& resource = {}) {
  const std::string of = resource.empty() ? "" : R"("resource":{"attributes":[)" + resource + "]},";
  return R"({"resourceMetrics":[{)" + of + R"("scopeMetrics":[{"metrics":[)" + metrics + "]}]}]}";
}
inline std::string metric_of(const std::string& name, const std::string& unit, const std::string& data) {
  return R"({"name":")" + name + R"(","unit":")" + unit + "\"," + data + "}";
}
inline std::string gauge_of(const std::string& point) {
  return metrics_of(metric_of("m", "", R"("gauge":{"dataPoints":[)" + point + "]}"));
}
inline std::string sum_of(const std::string& more,
                          const std::string& point = R"({"timeUnixNano":"5000000","asInt":"1"})") {
  return metrics_of(metric_of("m", "", R"("sum":{)" + more + R"("dataPoints":[)" + point + "]}"));
}
inline std::string histogram_of(const std::string& point) {
  return metrics_of(metric_of("m", "s", R"("histogram":{"aggregationTemporality":2,"dataPoints":[)" + point + "]}"));
}
inline std::string summary_of(const std::string& point) {
  return metrics_of(metric_of("m", "", R"("summary":{"dataPoints":[)" + point + "]}"));
}
inline std::string text_pair(const std::string& key, const std::string& text) {
  return R"({"key":")" + key + R"(","value":{"stringValue":")" + text + R"("}})";
}
// A point with one attribute `k` of this value.
inline std::string labelled(const std::string& value) {
  return gauge_of(R"({"timeUnixNano":"5000000","asInt":"1","attributes":[{"key":"k","value":)" + value + "}]}");
}

}  // namespace varve::protocol::otlp::testing
