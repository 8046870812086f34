// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"
#include "engine/rocksdb/store.h"
#include "server/disk_percent.h"
#include "server/engine.h"
#include "server/memory_usable.h"
#include "server/translate.h"
#include "tracker/local_jobs.h"

namespace varve::server {
namespace {

class EmbeddedEngine final : public Engine {
 public:
  EmbeddedEngine(const config::Config& config, const Clock& clock, std::string replica) {
    const auto owns = ownership_options(config, std::move(replica));
    if (owns.own == tracker::Own::jobs) jobs_ = std::make_unique<tracker::LocalJobBoard>(owns.jobs, clock);
    ownership_ = std::make_unique<tracker::Ownership>(owns, jobs_.get(), clock);
  }
  ~EmbeddedEngine() override {
    store_.reset();
    ownership_->release();
  }
  Status open(const config::Config& config, std::shared_ptr<const counter::Declared> counters, const Clock& clock) {
    const std::int64_t began_ns = clock.steady_ns();
    auto options = store_options(config, memory_usable());
    options.rollups.counters = std::move(counters);
    path_ = options.path;
    options.owned = [this] {
      ownership_->heartbeat();
      return ownership_->partitions();
    };
    VARVE_ASSIGN_OR_RETURN(store_, engine::rocksdb::Store::open(options, clock));
    at_start_ = store_->series_defined();
    log::info("store is open", {{"path", config.storage.path},
                                {"series", store_->series_count()},
                                {"log_rows", store_->recovery().log_rows},
                                {"seconds", static_cast<double>(clock.steady_ns() - began_ns) / 1e9}});
    return {};
  }

  storage::SeriesStore& series() override { return *store_; }
  storage::SampleStore& samples() override { return *store_; }
  storage::SlotStore& slots() override { return *store_; }
  storage::TextStore& texts() override { return *store_; }
  storage::MessageStore* messages() override { return store_.get(); }
  tracker::Ownership& ownership() override { return *ownership_; }
  [[nodiscard]] double backlog_percent() const override { return store_->backlog_percent(); }
  [[nodiscard]] std::function<double()> disk_percent() const override {
    return [path = path_] { return disk_percent_of(path); };
  }
  [[nodiscard]] std::uint64_t series_created() const override { return store_->series_defined() - at_start_; }
  void register_metrics(Metrics& metrics) override {
    metrics.gauge("varve_database_compactions_off", "1 while the database is not compacted, as a compaction failed.",
                  [this] { return store_->compacts() ? 0.0 : 1.0; });
    metrics.gauge("varve_database_damaged_tables", "Tables of the database that a compaction found damaged.",
                  [this] { return static_cast<double>(store_->damaged_tables()); });
    metrics.counter_from("varve_database_copies_read_total",
                         "Reads of the database that failed and were made good by a second copy.",
                         [] { return static_cast<double>(engine::rocksdb::Store::copies_read()); });
    metrics.counter_from("varve_start_left_out_total",
                         "Records in which the start found something that makes no sense.",
                         [this] { return static_cast<double>(store_->recovery().rejected_records); });
    metrics.gauge("varve_log_unsynced_seconds", "How long the oldest write that is not synced yet has waited.",
                  [this] { return static_cast<double>(store_->unsynced_ms()) / 1000; });
  }

 private:
  std::unique_ptr<tracker::LocalJobBoard> jobs_;
  std::unique_ptr<tracker::Ownership> ownership_;
  std::unique_ptr<engine::rocksdb::Store> store_;
  std::uint64_t at_start_ = 0;
  std::string path_;
};

}  // namespace

Result<std::unique_ptr<Engine>> open_embedded(const config::Config& config,
                                              std::shared_ptr<const counter::Declared> counters, const Clock& clock,
                                              std::string replica) {
  auto engine = std::make_unique<EmbeddedEngine>(config, clock, std::move(replica));
  VARVE_RETURN_IF_ERROR(engine->open(config, std::move(counters), clock));
  return engine;
}

}  // namespace varve::server
