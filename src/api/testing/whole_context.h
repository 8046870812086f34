// SPDX-License-Identifier: Apache-2.0
// For tests of handlers: a Context of which a test gives what it looks at. The rest is there, and empty.
#pragma once

#include "api/shared/context.h"
#include "storage/testing/memory_store.h"
#include "storage/testing/memory_texts.h"

namespace varve::api::testing {

class NoSlots final : public storage::SlotStore {
 public:
  [[nodiscard]] storage::SlotCounts slot_counts() const override { return {}; }
  [[nodiscard]] std::vector<storage::SlotState> slots(model::TenantId, std::size_t) const override { return {}; }
  [[nodiscard]] std::vector<storage::SetAsideWork> set_aside() const override { return {}; }
};

// Outlives the routers that its contexts are given to.
class WholeContext {
 public:
  WholeContext(storage::testing::MemoryStore& store, const Clock& clock) : store_(store), clock_(clock) {}

  struct Own {
    write::Writer* writer = nullptr;
    storage::SlotStore* slots = nullptr;
    storage::TextStore* texts = nullptr;
  };
  Context of(query::Engine& engine, TaskPool& pool, Metrics& metrics) { return of(engine, pool, metrics, Own()); }
  Context of(query::Engine& engine, TaskPool& pool, Metrics& metrics, const Own& own) {
    return {.writer = own.writer != nullptr ? *own.writer : writer_,
            .queries = engine,
            .series = store_,
            .samples = store_,
            .slots = own.slots != nullptr ? *own.slots : slots_,
            .texts = own.texts != nullptr ? *own.texts : texts_,
            .metadata = std::make_shared<write::MetricMetadataStore>(own.texts != nullptr ? *own.texts : texts_, store_,
                                                                     clock_),
            .passing_texts = nullptr,
            .messages = nullptr,
            .news = nullptr,
            .message_intake = nullptr,
            .ownership = ownership_,
            .query_pool = pool,
            .slow_pool = pool,
            .clock = clock_,
            .metrics = metrics,
            .version = "1.2.3",
            .facts = {},
            .takes_samples = false,
            .tenant_tag = true,
            .retentions = {},
            .message_limits = {},
            .promql = {},
            .otlp_naming = {},
            .refusing = nullptr,
            .is_counter = [](std::string_view) { return false; }};
  }

 private:
  storage::testing::MemoryStore& store_;
  const Clock& clock_;
  NoSlots slots_;
  storage::testing::MemoryTexts texts_;
  tracker::Ownership ownership_{{.own = tracker::Own::none, .jobs = {}}, nullptr, clock_};
  write::Writer writer_{store_, store_, {}};
};

}  // namespace varve::api::testing
