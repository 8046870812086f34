// SPDX-License-Identifier: Apache-2.0
#include "server/server.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>

#include "api/admin/routes.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/memory_ledger.h"
#include "base/metrics.h"
#include "base/periodic.h"
#include "base/task_pool.h"
#include "base/thread_name.h"
#include "http/server.h"
#include "language/esmond/series.h"
#include "query/engine.h"
#include "server/build_info.h"
#include "server/engine.h"
#include "server/memory_usable.h"
#include "server/process.h"
#include "server/routes.h"
#include "server/self_record.h"
#include "server/snmp_parts.h"
#include "server/translate.h"
#include "syslog/listener.h"
#include "task/runner.h"
#include "telnet/listener.h"
#include "write/message_feed.h"
#include "write/message_writer.h"
#include "write/metric_metadata.h"
#include "write/refusals.h"
#include "write/tenant_figures.h"
#include "write/writer.h"

namespace varve::server {
namespace {

// Of deletes and settling: one of a tenant at a time, so that the next tenant's need not wait for it.
constexpr unsigned kSlowThreads = 4;

constexpr std::chrono::milliseconds kTaskPause{1000};
constexpr std::chrono::milliseconds kCountPause{5000};
constexpr std::chrono::milliseconds kMetadataPause{1000};

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0' ? name.data() : "localhost";
}

// What is left of `deadline` since `began_ns`; never negative.
std::chrono::milliseconds left(const Clock& clock, std::int64_t began_ns, std::chrono::milliseconds deadline) {
  const std::chrono::milliseconds passed((clock.steady_ns() - began_ns) / 1'000'000);
  return std::max(deadline - passed, std::chrono::milliseconds(0));
}

}  // namespace

// In order of dependence: each member uses only those above it.
struct Server::State {
  config::Config config;
  const std::vector<config::Setting> shown;
  const Clock& clock;
  Metrics metrics;
  const std::shared_ptr<MemoryLedger> memory;  // of what requests hold
  http::Gate gate;
  write::Refusals refusals;
  std::int64_t started_ms = 0;
  std::uint64_t bodies_refused = 0;  // as was looked at last
  write::TenantFigures figures;
  std::unique_ptr<http::Server> http;
  std::unique_ptr<write::MessageFeed> message_feed;  // over the engine, which calls it until it is gone
  std::unique_ptr<Engine> engine;
  std::unique_ptr<write::MessageIntake> message_intake;
  std::unique_ptr<write::Writer> writer;
  std::shared_ptr<write::MetricMetadataStore> metadata;  // also held by what commits, which only marks what waits
  std::optional<Periodic> metadata_turns;
  const std::shared_ptr<snmp::inventory::DeviceCounters> device_counters =
      std::make_shared<snmp::inventory::DeviceCounters>();
  std::shared_ptr<counter::Declared> counters;  // known before the first query, and before anything is sealed
  std::unique_ptr<query::Engine> queries;
  std::unique_ptr<TaskPool> query_pool;
  std::unique_ptr<TaskPool> settle_pool;  // apart, because settling may take minutes; deletes, too
  std::unique_ptr<task::TaskStore> tasks;
  std::unique_ptr<task::Runner> task_runner;  // none where nothing is rolled up
  std::optional<Periodic> task_turns;
  std::unique_ptr<write::MessageWriter> trap_writer;
  std::unique_ptr<SnmpParts> snmp;
  std::optional<Periodic> tenant_counts;
  std::unique_ptr<telnet::Listener> telnet;
  std::unique_ptr<write::MessageWriter> message_writer;
  std::unique_ptr<syslog::Listener> syslog;
  std::unique_ptr<SelfRecord> self_record;
  // For metrics, while they are read.
  struct {
    storage::SlotCounts slots;
    storage::StorageBytes bytes;
    query::Read read;
  } seen;

  State(const config::Config& c, const Clock& k, std::vector<config::Setting> s)
      : config(c),
        shown(std::move(s)),
        clock(k),
        memory(std::make_shared<MemoryLedger>(memory_max(c, memory_usable()))),
        refusals(k) {}

  [[nodiscard]] std::string name() const { return host_name() + ":" + std::to_string(http->port()); }
  Status listen();
  Status open_engine(const std::function<bool()>& go_on);
  Status start_telnet();
  Status start_syslog();
  void start_tasks();
  void start_counting_tenants();
  void start_metadata();
  void register_metrics();
  void look_for_refusals();
  [[nodiscard]] http::Router routes();
};

Server::Server(const config::Config& config, const Clock& clock, std::vector<config::Setting> shown)
    : state_(std::make_unique<State>(config, clock, std::move(shown))) {}

Server::~Server() { stop(std::chrono::milliseconds(0)); }

Status Server::State::listen() {
  http::Router always;
  api::add_health(always, gate, metrics, [this] { return refusals.told(); });
  http::ServerOptions options = http_options(config, memory);
  if (options.body_max < config.http.body_bytes_max) {
    log::warn("http.body_max is more than a quarter of limits.memory; larger bodies are refused",
              {{"bytes", std::to_string(options.body_max)}});
  }
  http = std::make_unique<http::Server>(options, std::move(always), gate, metrics);
  VARVE_RETURN_IF_ERROR(http->start());
  config::Address bound = config.http.listen;
  bound.port = http->port();
  log::info("listening", {{"protocol", "http"}, {"address", config::to_string(bound)}});
  return {};
}

Status Server::State::open_engine(const std::function<bool()>& go_on) {
  const bool cluster = config.engine == config::Config::Engine::cluster;
  const Surroundings surroundings{go_on, [this](std::string note) { gate.say(std::move(note)); }};
  VARVE_ASSIGN_OR_RETURN(engine, cluster ? open_cluster(config, counters, clock, name(), surroundings)
                                         : open_embedded(config, counters, clock, name()));
  if (engine->messages() != nullptr) {
    message_feed = std::make_unique<write::MessageFeed>(*engine->messages(), metrics,
                                                        write::MessageFeed::Witnesses{&refusals, &figures});
    write::IntakeOptions intake = intake_options(config);
    intake.disk_percent = engine->disk_percent();
    intake.backlog_percent = [of = engine.get()] { return of->backlog_percent(); };
    message_intake = std::make_unique<write::MessageIntake>(std::move(intake), clock, metrics);
  }
  return {};
}

Status Server::State::start_telnet() {
  if (!config.telnet.on) return {};
  auto listener = std::make_unique<telnet::Listener>(telnet_options(config), *writer, metrics);
  VARVE_RETURN_IF_ERROR(listener->start());
  telnet = std::move(listener);
  config::Address bound = config.telnet.listen;
  bound.port = telnet->port();
  log::info("listening", {{"protocol", "telnet"}, {"address", config::to_string(bound)}});
  return {};
}

Status Server::State::start_syslog() {
  if (!config.syslog.udp_on && !config.syslog.tcp_on && !config.syslog.tls_on) return {};
  if (message_feed == nullptr) return fail(Code::unsupported, "this engine keeps no messages");
  VARVE_ASSIGN_OR_RETURN(auto options, syslog_options(config));
  options.is_slowed = [of = message_intake.get()] { return of->is_shedding(); };
  message_writer = std::make_unique<write::MessageWriter>(
      *message_feed, *message_intake,
      metrics.counter(
          "varve_messages_retimed_total",
          "Log messages stored under the time of arrival, as their own was out of what is kept, by protocol.",
          {{"protocol", "syslog"}}));
  syslog = std::make_unique<syslog::Listener>(
      std::move(options),
      [this](const std::string& tenant, message::Batch& batch, syslog::AppendDone done) {
        message_writer->append(tenant, batch, std::move(done));
      },
      clock, metrics);
  VARVE_RETURN_IF_ERROR(syslog->start());
  const auto say = [](const char* protocol, config::Address bound, std::uint16_t port) {
    bound.port = port;
    log::info("listening", {{"protocol", protocol}, {"address", config::to_string(bound)}});
  };
  if (config.syslog.udp_on) say("syslog over UDP", config.syslog.udp, syslog->udp_port());
  if (config.syslog.tcp_on) say("syslog over TCP", config.syslog.tcp, syslog->tcp_port());
  if (config.syslog.tls_on) say("syslog over TLS", config.syslog.tls, syslog->tls_port());
  return {};
}

void Server::State::register_metrics() {
  metrics.gauge("varve_series", "Series known, over all tenants.",
                [this] { return static_cast<double>(engine->series().series_count()); });
  metrics.counter_from("varve_series_created_total", "Series seen for the first time since the start.",
                       [this] { return static_cast<double>(engine->series_created()); });
  // What looks into heads and lists of runs is done once for all of them.
  metrics.before_reading([this] {
    seen.slots = engine->slots().slot_counts();
    seen.bytes = engine->samples().storage_bytes();
    seen.read = queries->running().read_in_all();
  });
  metrics.gauge("varve_slots_pending", "Time slots of tenants that wait to be sealed.",
                [this] { return static_cast<double>(seen.slots.pending); });
  metrics.counter_from("varve_slots_sealed_total", "Time slots of tenants sealed since the start.",
                       [this] { return static_cast<double>(seen.slots.sealed); });
  const auto bytes = [this](std::string_view kind, const std::uint64_t& field) {
    metrics.gauge("varve_storage_bytes", "Bytes on disk, by what they hold.",
                  [&field] { return static_cast<double>(field); }, {{"kind", kind}});
  };
  bytes("wal", seen.bytes.wal);
  bytes("hot", seen.bytes.hot);
  bytes("sealed", seen.bytes.sealed);
  bytes("rollup", seen.bytes.rollup);
  bytes("index", seen.bytes.index);
  bytes("message", seen.bytes.message);
  metrics.counter_from("varve_rollups_written_total", "Windows of rollups written since the start.",
                       [this] { return static_cast<double>(seen.slots.windows); });
  metrics.counter_from("varve_query_samples_read_total", "Samples that queries have read.",
                       [this] { return static_cast<double>(seen.read.samples); });
  metrics.counter_from("varve_query_windows_read_total", "Windows of rollups that queries have read.",
                       [this] { return static_cast<double>(seen.read.windows_in_all()); });
  metrics.gauge("varve_jobs_held", "Jobs of the slot tracker that this process holds.",
                [this] { return static_cast<double>(engine->ownership().jobs_held()); });
  metrics.gauge("varve_slots_set_aside", "Pieces of maintenance that failed on what they found, and are tried again.",
                [this] { return static_cast<double>(seen.slots.set_aside); });
  metrics.counter_from("varve_clock_jumps_total", "Times that the clock jumped ahead, since the start.",
                       [this] { return static_cast<double>(seen.slots.clock_jumps); });
  metrics.gauge("varve_clock_held_seconds", "How far the clock is ahead of the time by which data expire.",
                [this] { return static_cast<double>(seen.slots.clock_held_ms) / 1000; });
  figures.register_metrics(metrics, engine->series());
  engine->register_metrics(metrics);
}

void Server::State::start_tasks() {
  tasks = std::make_unique<task::TaskStore>(engine->texts());
  if (!seals(config)) return;
  task_runner = std::make_unique<task::Runner>(
      task::RunnerOptions{config.slots.partitions, name()},
      task::Runner::Parts{*tasks, *queries, *writer, engine->ownership(), clock, metrics});
  // Failures are told once; the next turn tries again.
  task_turns.emplace(kTaskPause, [this, failing = false](const std::stop_token& stopping) mutable {
    const Status done = task_runner->turn([&stopping] { return !stopping.stop_requested(); });
    if (!done && !failing) log::warn("roll-up tasks are not run", {{"error", done.error().message}});
    failing = !done;
  });
}

// Other replicas make tenants, too, and deletes leave some without a series.
void Server::State::start_counting_tenants() {
  const Status counted = writer->count_tenants();
  if (!counted) log::warn("tenants cannot be counted yet", {{"error", counted.error().message}});
  tenant_counts.emplace(kCountPause, [this](const std::stop_token&) {
    if (engine->series().in_memory() && !writer->has_refused_tenants()) return;
    static_cast<void>(writer->count_tenants());  // the next step tries again
  });
}

void Server::State::start_metadata() {
  metadata = std::make_shared<write::MetricMetadataStore>(engine->texts(), engine->series(), clock);
  // Failures are told once; senders say again what could not be stored.
  metadata_turns.emplace(kMetadataPause, [this, failing = false](const std::stop_token& stopping) mutable {
    const Status done = metadata->flush(
        [&stopping] { return stopping.stop_requested() ? Status(fail(Code::cancelled, "it stops")) : Status(); });
    if (stopping.stop_requested()) return;
    if (!done && !failing) log::warn("metadata of metrics are not stored", {{"error", done.error().message}});
    failing = !done;
  });
}

// Bodies for which there is no memory are not known before they are read: any other may find room.
void Server::State::look_for_refusals() {
  const std::uint64_t now = memory->bodies_refused();
  if (std::exchange(bodies_refused, now) != now) {
    refusals.refused("requests hold all the memory that limits.memory allows", 0);
  }
  refusals.look();
}

http::Router Server::State::routes() {
  api::ServerFacts facts{.started_ms = started_ms, .raw_retention_ms = config.raw_retention_ms};
  for (const auto& setting : shown) facts.settings.emplace_back(setting.key, setting.value);
  const api::Context context{
      .writer = *writer,
      .queries = *queries,
      .series = engine->series(),
      .samples = engine->samples(),
      .slots = engine->slots(),
      .texts = engine->texts(),
      .metadata = metadata,
      .passing_texts = engine->passing_texts(),
      .messages = message_feed.get(),
      .news = message_feed.get(),
      .message_intake = message_intake.get(),
      .ownership = engine->ownership(),
      .query_pool = *query_pool,
      .slow_pool = *settle_pool,
      .clock = clock,
      .metrics = metrics,
      .version = std::string(version()),
      .facts = std::move(facts),
      .takes_samples = config.roles.ingest,
      .tenant_tag = config.tenant_from.tag,
      .retentions = ceres_retentions(config),
      .message_limits = {config.messages.retention_ms, config.messages.future_ms, config.messages.rows_max,
                         config.query.timeout_ms},
      .promql = {config.promql.lookback_ms, config.promql.strict, config.promql.series_max},
      .otlp_naming = otlp_naming(config),
      .refusing = [this] { return refusals.told(); },
      .is_counter = [rollups = rollup_levels(config)](
                        std::string_view metric) { return rollups.kind_of(metric) == rollup::Kind::counter; },
  };
  return make_routes(config.roles, context,
                     {*tasks, *query_pool, clock,
                      [this] {
                        if (task_runner) task_runner->changed();
                      }},
                     snmp->context(), snmp->esmond_context());
}

Status Server::start(const std::function<bool()>& go_on) {
  State& s = *state_;
  raise_open_files_limit();
  s.started_ms = s.clock.now_ms();
  register_process_metrics(s.metrics, s.started_ms);
  s.metrics.gauge("varve_build_info", "Which varve this is; always 1.", [] { return 1.0; },
                  {{"version", version()}, {"commit", commit()}, {"compiler", compiler()}});
  VARVE_RETURN_IF_ERROR(with_thread_name("http", [&] { return s.listen(); }));
  s.counters = std::make_shared<counter::Declared>(declared_counters(s.config));
  s.counters->add([devices = s.device_counters](auto tenant, auto metric, const auto& tag) {
    return devices->find(tenant, metric, tag);
  });
  s.counters->add(language::esmond::esmond_declaration);
  VARVE_RETURN_IF_ERROR(with_thread_name("engine", [&] { return s.open_engine(go_on); }));
  write::Options writing = write_options(s.config, s.clock);
  writing.metrics = &s.metrics;
  writing.refusals = &s.refusals;
  writing.figures = &s.figures;
  if (storage::MessageStore* const messages = s.engine->messages()) {
    writing.has_messages = [messages](std::string_view tenant) {
      using Us = std::numeric_limits<std::int64_t>;
      const auto parts = messages->message_parts(tenant, Us::min(), Us::max());
      return !parts || !parts->empty();
    };
  }
  s.writer = std::make_unique<write::Writer>(s.engine->series(), s.engine->samples(), writing);
  s.queries = std::make_unique<query::Engine>(s.engine->series(), s.engine->samples(), s.clock, query_limits(s.config),
                                              s.memory, s.counters);
  s.query_pool = with_thread_name("query", [] { return std::make_unique<TaskPool>(0); });
  s.settle_pool = with_thread_name(
      "settle", [] { return std::make_unique<TaskPool>(kSlowThreads, 1024, TaskPool::Priority::low, 1); });
  s.snmp = std::make_unique<SnmpParts>(s.config, s.engine->texts(), s.engine->passing_texts(), *s.device_counters,
                                       *s.query_pool, s.clock);
  VARVE_RETURN_IF_ERROR(with_thread_name("snmp", [&] { return s.snmp->start(); }));
  with_thread_name("tenants", [&] { s.start_counting_tenants(); });
  with_thread_name("metadata", [&] { s.start_metadata(); });
  with_thread_name("tasks", [&] { s.start_tasks(); });
  if (s.config.roles.poll) {
    if (s.message_feed != nullptr) {
      s.trap_writer =
          std::make_unique<write::MessageWriter>(*s.message_feed, *s.message_intake, TrapMessages::retimed(s.metrics));
    }
    // The only replica of a store is the same wherever it runs.
    const std::string replica = s.engine->passing_texts() == nullptr ? "local" : s.name();
    VARVE_RETURN_IF_ERROR(with_thread_name("snmp", [&] {
      return s.snmp->start_polling(*s.writer, s.metrics, s.engine->polls(), s.trap_writer.get(), replica);
    }));
  }
  s.register_metrics();
  if (s.config.roles.ingest) {
    VARVE_RETURN_IF_ERROR(with_thread_name("telnet", [&] { return s.start_telnet(); }));
    VARVE_RETURN_IF_ERROR(with_thread_name("syslog", [&] { return s.start_syslog(); }));
  }
  s.self_record =
      std::make_unique<SelfRecord>(s.metrics, s.engine->series(), s.engine->samples(), s.clock, s.name(), &s.refusals);
  s.http->open(with_thread_name("later", [&s] { return s.routes(); }));  // queries that are answered later have one
  return {};
}

std::uint16_t Server::http_port() const { return state_->http ? state_->http->port() : 0; }

std::uint16_t Server::telnet_port() const { return state_->telnet ? state_->telnet->port() : 0; }

void Server::tick() {
  state_->look_for_refusals();
  if (state_->writer) state_->writer->forget_unused();
  // What is wrong is in the log already, and the next tick tries again.
  if (!state_->self_record) return;
  static_cast<void>(guarded([this] { return state_->self_record->record(); }));
}

void Server::reload() {
  if (state_->snmp) state_->snmp->reload();
}

void Server::stop(std::chrono::milliseconds deadline) {
  State& s = *state_;
  const std::int64_t began_ns = s.clock.steady_ns();
  s.refusals.stop();
  if (s.http) s.http->stop(deadline);
  if (s.telnet) s.telnet->stop(left(s.clock, began_ns, deadline));
  if (s.syslog) s.syslog->stop(left(s.clock, began_ns, deadline));
  if (s.snmp) s.snmp->stop_polling();
  // From the users to the used. The engine goes before the writer: what it commits may still call the writer back.
  s.self_record.reset();
  s.telnet.reset();
  s.syslog.reset();
  if (s.task_runner) s.task_runner->stop();
  s.task_turns.reset();
  s.tenant_counts.reset();
  s.metadata_turns.reset();
  s.http.reset();
  if (s.metadata) {  // the last of it, as far as there is time: it comes again
    static_cast<void>(s.metadata->flush([&]() -> Status {
      if (left(s.clock, began_ns, deadline).count() > 0) return {};
      return fail(Code::cancelled, "it stops");
    }));
  }
  s.metadata.reset();
  s.snmp.reset();
  s.task_runner.reset();
  s.tasks.reset();
  s.settle_pool.reset();
  s.query_pool.reset();
  s.queries.reset();
  s.engine.reset();
  s.message_feed.reset();
  s.message_writer.reset();
  s.writer.reset();
}

}  // namespace varve::server
