// SPDX-License-Identifier: Apache-2.0
// What the server gives to every family of APIs. All of it outlives the router's server.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/task_pool.h"
#include "protocol/ceres/granularity.h"
#include "protocol/otlp/metric_labels.h"
#include "query/engine.h"
#include "storage/message_news.h"
#include "storage/message_store.h"
#include "storage/passing_texts.h"
#include "storage/sample_store.h"
#include "storage/series_store.h"
#include "storage/slot_store.h"
#include "storage/text_store.h"
#include "tracker/ownership.h"
#include "write/message_intake.h"
#include "write/metric_metadata.h"
#include "write/writer.h"

namespace varve::api {

using CeresRetentions = protocol::ceres::Retentions;
using OtlpNaming = protocol::otlp::MetricNaming;

struct MessageLimits {
  std::int64_t retention_ms = 0;  // an older message is refused
  std::int64_t future_ms = 0;     // one that is further ahead of the clock, too
  std::uint64_t rows_max = 0;     // of one answer
  std::int64_t timeout_ms = 0;    // of one query
};

struct PromqlOptions {
  std::int64_t lookback_ms = 300'000;  // for so long a sample is the newest one of its series
  bool strict = false;                 // nothing of MetricsQL
  std::size_t series_max = 1'000'000;  // of one selector
};

// What is told of the server.
struct ServerFacts {
  std::int64_t started_ms = 0;
  std::int64_t raw_retention_ms = 0;                               // 0: for ever
  std::vector<std::pair<std::string, std::string>> settings = {};  // every key with its value, secrets hidden
};

struct Context {
  write::Writer& writer;
  query::Engine& queries;
  storage::SeriesStore& series;
  storage::SampleStore& samples;
  storage::SlotStore& slots;
  storage::TextStore& texts;
  std::shared_ptr<write::MetricMetadataStore> metadata;
  storage::PassingTexts* passing_texts;  // nullptr: nobody else sees what this process has in memory
  storage::MessageStore* messages;       // nullptr: the engine keeps none
  storage::MessageNews* news;            // of what is appended through `messages`; nullptr as that
  write::MessageIntake* message_intake;  // which are taken; nullptr as that
  tracker::Ownership& ownership;
  TaskPool& query_pool;
  TaskPool& slow_pool;  // for what may take minutes: settling and deletes; one of a tenant at a time
  const Clock& clock;
  Metrics& metrics;
  std::string version;  // of varve
  ServerFacts facts;
  bool takes_samples;  // by its roles; else queries save nothing
  bool tenant_tag;     // a tag of OpenTSDB's put may name the tenant
  CeresRetentions retentions;
  MessageLimits message_limits;
  PromqlOptions promql;
  OtlpNaming otlp_naming;
  std::function<std::string()> refusing;  // "writes are refused: WHY", whoever sends them; or empty. May be nullptr
  std::function<bool(std::string_view metric)> is_counter;  // a delta counter: its rollups have sums only
};

}  // namespace varve::api
