// SPDX-License-Identifier: Apache-2.0
// What a request of metrics becomes, as text, for tests and fuzzing.
#pragma once

#include <string>
#include <vector>

#include "protocol/otlp/metrics.h"
#include "protocol/testing/fake_groups.h"

namespace varve::protocol::otlp {

struct MetricsBench {
  protocol::testing::FakeGroups groups;
  model::RowBatch batch;
  MetricNaming naming;
  TargetTime target_time;
  MetricOutcome outcome;
  std::vector<std::string> described;  // of the last request: gauge name [unit] help

  // Samples, bad points ("! 2: reason"), exemplars, the note, one after the other; or "!! " and the error of
  // the whole.
  std::string text(std::string_view body, bool is_json) {
    batch.clear();
    described.clear();
    const DescribedSink sink = [this](const Metric& metric) {
      const auto of = metadata_of(metric);
      const auto name = described_name(metric, naming.translation);
      described.push_back(std::string(model::kMetricTypeNames[static_cast<std::size_t>(of.type)]) + " " +
                          (name ? *name : name.error().message) + " [" + std::string(of.unit) + "] " +
                          std::string(of.help));
    };
    auto got = (is_json ? parse_metrics_json : parse_metrics_protobuf)(body, naming, target_time, groups, batch, sink);
    if (!got) return "!! " + got.error().message;
    outcome = std::move(*got);
    std::string out;
    const auto add = [&](const std::string& one) { out += (out.empty() ? "" : " | ") + one; };
    for (const std::string& sample : groups.samples(batch)) add(sample);
    for (const auto& bad : outcome.points.listed) add("! " + std::to_string(bad.position) + ": " + bad.reason);
    if (outcome.exemplars != 0) add("exemplars " + std::to_string(outcome.exemplars));
    if (!outcome.note.empty()) add("note: " + outcome.note);
    return out;
  }
};

}  // namespace varve::protocol::otlp
