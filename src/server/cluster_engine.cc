// SPDX-License-Identifier: Apache-2.0
#include "server/engine.h"

#ifdef VARVE_CLUSTER
#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <random>

#include "base/log.h"
#include "base/periodic.h"
#include "base/thread_priority.h"
#include "server/cluster_options.h"
#include "server/translate.h"
#include "tracker/redis/redis_jobs.h"

namespace varve::server {
namespace {

using engine::cassandra::Connection;
using std::chrono::milliseconds;

constexpr milliseconds kListen{1000};
constexpr milliseconds kRenew{1000};
constexpr milliseconds kWork{250};
constexpr milliseconds kTellHeard{100};

// Says in the log when something begins to fail and when it is well again, not each time.
class Health {
 public:
  explicit Health(std::string_view what) : what_(what) {}
  void tell(const Status& status) {
    if (status && failing_) log::info("works again", {{"what", what_}});
    if (!status && !failing_)
      log::warn("fails; it is tried again", {{"what", what_}, {"error", status.error().message}});
    failing_ = !status;
  }

 private:
  const std::string_view what_;
  bool failing_ = false;
};

// Names this process in its rows: never two alike.
std::int64_t random_source() {
  std::random_device random;
  return static_cast<std::int64_t>((std::uint64_t{random()} << 31) ^ random());
}

class ClusterEngine final : public Engine {
 public:
  ClusterEngine(const config::Config& config, const Clock& clock, const std::string& replica,
                std::unique_ptr<Connection> connection, std::function<void(std::string)> say)
      : connection_(std::move(connection)), say_(std::move(say)) {
    const auto owns = ownership_options(config, replica);
    if (owns.own == tracker::Own::jobs) {
      board_ = std::make_unique<tracker::redis::RedisJobBoard>(owns.jobs, connection_->redis());
    }
    ownership_ = std::make_unique<tracker::Ownership>(owns, board_.get(), clock);
    if (config.roles.poll) {
      const auto polls = poll_ownership_options(config, replica);
      poll_board_ = std::make_unique<tracker::redis::RedisJobBoard>(polls.jobs, connection_->redis());
      polls_ = std::make_unique<tracker::Ownership>(polls, poll_board_.get(), clock);
    }
    listen_.emplace(kListen, [this, health = Health("hearing of other replicas")](const auto&) mutable {
      health.tell(store().listen());
      redis_away_ = !connection_->redis().check();
      look_at_eviction();
    });
    // Apart from all that may take longer than the lease lasts.
    renew_.emplace(kRenew, [this, health = Health("renewing the lease to take writes")](const auto&) mutable {
      health.tell(store().renew());
    });
    tell_heard_.emplace(kTellHeard, [this](const auto&) { store().tell_heard(); });
    if (!seals(config)) return;
    // Apart from the work, which may be long.
    heartbeat_.emplace(milliseconds(std::max<std::int64_t>(owns.jobs.lease_ms / 5, 100)),
                       [this](const auto&) { ownership_->heartbeat(); });
    work_.emplace(kWork,
                  [this, health = Health("sealing and rolling up"), is_first = true](const auto& stopping) mutable {
                    if (std::exchange(is_first, false)) lower_thread_priority();
                    health.tell(store().work(*ownership_, [&stopping] { return !stopping.stop_requested(); }));
                  });
  }
  ~ClusterEngine() override {
    work_.reset();
    heartbeat_.reset();
    listen_.reset();
    tell_heard_.reset();
    renew_.reset();
    ownership_->release();
  }

  storage::SeriesStore& series() override { return store().series(); }
  storage::SampleStore& samples() override { return store(); }
  storage::MessageStore* messages() override { return &store(); }
  storage::SlotStore& slots() override { return store(); }
  storage::TextStore& texts() override { return connection_->texts(); }
  storage::PassingTexts* passing_texts() override { return &connection_->texts(); }
  tracker::Ownership& ownership() override { return *ownership_; }
  tracker::Ownership* polls() override { return polls_.get(); }
  [[nodiscard]] double backlog_percent() const override {
    const auto writes = connection_->writes();
    return 100.0 * static_cast<double>(writes.bytes) / static_cast<double>(writes.bytes_max);
  }
  // Known ones: nobody counts those of all replicas.
  [[nodiscard]] std::uint64_t series_created() const override { return connection_->store().series_met(); }
  void register_metrics(Metrics& metrics) override {
    metrics.gauge("varve_redis_lost",
                  "1 while Redis is away or may have lost something: all pending slots are looked at.",
                  [this] { return redis_away_ || connection_->redis().lost() ? 1.0 : 0.0; });
    metrics.gauge("varve_redis_may_evict", "1 if Redis' maxmemory-policy lets it delete what is pending.",
                  [this] { return connection_->eviction().may_evict() ? 1.0 : 0.0; });
    metrics.gauge("varve_redis_evicted_keys", "Keys that Redis has evicted since its start.",
                  [this] { return static_cast<double>(connection_->eviction().evicted_keys()); });
    metrics.gauge("varve_hot_watermark_age_seconds",
                  "What arrived longer ago than that, at any replica, is known to be whole.",
                  [this] { return store().watermark_age_s(); });
    metrics.gauge("varve_window_units_pending", "Line groups whose rollup blocks are not written yet.",
                  [this] { return static_cast<double>(store().slot_counts().rollup_blocks_pending); });
    metrics.counter_from("varve_hot_slots_dropped_total", "Slots whose hot rows were deleted, as they are sealed.",
                         [this] { return static_cast<double>(store().hot_slots_dropped()); });
    metrics.gauge("varve_cassandra_requests_in_flight", "Writes to Cassandra under way.",
                  [this] { return static_cast<double>(connection_->writes().in_flight); });
    metrics.gauge("varve_cassandra_requests_in_flight_limit",
                  "Writes that may be under way now; fewer after slow ones.",
                  [this] { return static_cast<double>(connection_->writes().limit); });
    metrics.gauge("varve_cassandra_queued_bytes", "Writes to Cassandra, waiting and under way.",
                  [this] { return static_cast<double>(connection_->writes().bytes); });
    metrics.counter_from("varve_cassandra_refused_total", "Writes refused because too many waited.",
                         [this] { return static_cast<double>(connection_->writes().refused); });
  }

 private:
  engine::cassandra::Store& store() { return connection_->store(); }

  // It may have been set so while this runs. What is stored is whole all the same: what Redis loses is found again.
  void look_at_eviction() {
    const auto found = connection_->eviction().look();
    if (!found || *found == evicts_) return;
    evicts_ = *found;
    if (!evicts_.empty()) log::warn("Redis is not configured as it must be", {{"error", evicts_}});
    if (evicts_.empty()) log::info("Redis is configured as it must be");
    say_(evicts_);
  }

  const std::unique_ptr<Connection> connection_;
  const std::function<void(std::string)> say_;
  std::string evicts_;  // what was found last
  std::unique_ptr<tracker::redis::RedisJobBoard> board_;
  std::unique_ptr<tracker::Ownership> ownership_;
  std::unique_ptr<tracker::redis::RedisJobBoard> poll_board_;
  std::unique_ptr<tracker::Ownership> polls_;
  std::atomic<bool> redis_away_ = false;
  std::optional<Periodic> listen_, renew_, tell_heard_, heartbeat_, work_;
};

}  // namespace

Result<std::unique_ptr<Engine>> open_cluster(const config::Config& config,
                                             std::shared_ptr<const counter::Declared> counters, const Clock& clock,
                                             std::string replica, const Surroundings& surroundings) {
  const std::int64_t began_ns = clock.steady_ns();
  auto options = cluster_options(config, replica);
  options.source = random_source();
  options.rollups.counters = std::move(counters);
  VARVE_ASSIGN_OR_RETURN(const auto servers, cluster_servers(config));
  const Connection::Waiting waiting{surroundings.go_on, surroundings.say};
  VARVE_ASSIGN_OR_RETURN(auto connection, Connection::open(options, servers, clock, waiting));
  log::info("store is open", {{"cassandra", servers.cassandra.contact_points},
                              {"keyspace", config.cassandra.keyspace},
                              {"replica", replica},
                              {"seconds", static_cast<double>(clock.steady_ns() - began_ns) / 1e9}});
  return std::make_unique<ClusterEngine>(config, clock, replica, std::move(connection), surroundings.say);
}

}  // namespace varve::server
#else
namespace varve::server {

Result<std::unique_ptr<Engine>> open_cluster(const config::Config&, std::shared_ptr<const counter::Declared>,
                                             const Clock&, std::string, const Surroundings&) {
  return fail(Code::unsupported, "this varve was built without the cluster engine (VARVE_CLUSTER=OFF)");
}

}  // namespace varve::server
#endif
