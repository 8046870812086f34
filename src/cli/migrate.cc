// SPDX-License-Identifier: Apache-2.0
#include "cli/migrate.h"

#include <cstdio>
#include <string>

#ifdef VARVE_CLUSTER
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <thread>

#include "base/clock.h"
#include "base/log.h"
#include "base/task_pool.h"
#include "migrate/comparison.h"
#include "migrate/migration.h"
#include "migrate/source_address.h"
#include "model/tenant.h"
#include "rollup/levels.h"
#include "server/cluster_options.h"
#include "server/engine.h"
#include "server/signals.h"
#include "server/translate.h"
#endif

namespace varve::cli {
namespace {

void say(std::FILE* to, const std::string& line) { std::fputs((line + "\n").c_str(), to); }

int failed(const std::string& why, int status = 1) {
  say(stderr, "varve: " + why);
  return status;
}

#ifdef VARVE_CLUSTER
constexpr std::uint64_t kBadShown = 1000;  // further bad keys are only counted

struct Arguments {
  migrate::SourceAddress from;
  std::string tenant, progress;
};

Result<Arguments> arguments(const config::Config& config, const std::vector<config::Setting>& own) {
  std::string from;
  Arguments out;
  out.tenant = config.tenant_default;
  for (const auto& flag : own)
    (flag.key == "from" ? from : flag.key == "tenant" ? out.tenant : out.progress) = flag.value;
  if (from.empty()) return fail(Code::invalid, "--from=cassandra://HOST:PORT/KEYSPACE is missing");
  auto parsed = migrate::parse_source(from);
  if (!parsed) return fail(Code::invalid, "--from: " + parsed.error().message);
  out.from = std::move(*parsed);
  if (!model::is_tenant_name(out.tenant))
    return fail(Code::invalid, "--tenant: \"" + out.tenant + "\" is not a tenant's name");
  if (out.progress.empty()) out.progress = "kairosdb-" + out.from.keyspace + ".progress";
  return out;
}

// As for varve's own Cassandra, but for what the address says.
Result<driver::SessionOptions> session_options(config::Config config, const migrate::SourceAddress& from) {
  auto& cassandra = config.cassandra;
  if (from.datacenter) cassandra.datacenter = *from.datacenter;
  if (from.username) cassandra.username = *from.username;
  if (from.password_file) cassandra.password_file = *from.password_file;
  if (from.tls) cassandra.tls = *from.tls;
  VARVE_ASSIGN_OR_RETURN(auto servers, server::cluster_servers(config));
  servers.cassandra.contact_points = from.contact_points;
  servers.cassandra.keyspace = from.keyspace;
  servers.cassandra.request_timeout_ms = 30'000;  // of a page
  return std::move(servers.cassandra);
}

// The engine for taking in what is old, in an order that has nothing to do with time: nothing is sealed before all of
// it is there, and nothing that was copied is dropped before it has been counted. What is acknowledged is on the disk,
// since the progress says that it is.
config::Config copying_config(config::Config config) {
  config.slots.own = config::Config::Slots::Own::none;
  if (config.engine == config::Config::Engine::embedded) {
    config.raw_retention_ms = rollup::kForEver;
    config.storage.sync_always = true;
  }
  return config;
}

bool is_embedded(const config::Config& config) { return config.engine == config::Config::Engine::embedded; }

// Samples before this are told apart. The tables of a cluster let go of what is over while this is still copying: a
// tenth of the retention is the time that it has for that.
model::Timestamp old_before(const config::Config& config, model::Timestamp started) {
  if (config.raw_retention_ms >= rollup::kForEver) return model::kTimestampMin;
  return started - config.raw_retention_ms + (is_embedded(config) ? 0 : config.raw_retention_ms / 10);
}

std::string target_name(const config::Config& config, const std::string& tenant) {
  const bool embedded = is_embedded(config);
  const std::string place =
      embedded ? std::filesystem::absolute(config.storage.path).lexically_normal().string() : config.cassandra.keyspace;
  return (embedded ? "embedded " : "cluster ") + place + " tenant " + tenant;
}

Result<migrate::Progress> begin(const std::string& path, const std::string& source, const std::string& target,
                                const Clock& clock) {
  VARVE_ASSIGN_OR_RETURN(auto before, migrate::load_progress(path));
  if (!before) {
    migrate::Progress fresh;
    fresh.source = source;
    fresh.target = target;
    fresh.started_ms = clock.now_ms();
    return fresh;
  }
  if (before->source != source || before->target != target) {
    return fail(Code::conflict, path + " is the progress from " + before->source + " into " + before->target +
                                    ", not from " + source + " into " + target + "; name another file with --progress");
  }
  return std::move(*before);
}

std::string short_number(double number) {
  char text[32];
  const char* unit = number >= 1e9 ? "G" : number >= 1e6 ? "M" : number >= 1e3 ? "k" : "";
  const double by = number >= 1e9 ? 1e9 : number >= 1e6 ? 1e6 : number >= 1e3 ? 1e3 : 1;
  std::snprintf(text, sizeof text, by == 1 ? "%.0f%s" : "%.1f%s", number / by, unit);
  return text;
}

std::string duration(double seconds) {
  char text[32];
  const auto s = static_cast<std::int64_t>(seconds);
  std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", static_cast<long long>(s / 3600),
                static_cast<long long>(s / 60 % 60), static_cast<long long>(s % 60));
  return text;
}

// The line on stderr: on a terminal one that changes each second, else a new one every ten.
class Display {
 public:
  Display(const migrate::Migration& migration, const migrate::Copying& copying, const Clock& clock)
      : migration_(migration), copying_(copying), clock_(clock), begin_ranges_(migration.ranges_done()) {}

  void show(bool last) {
    if (!terminal_ && !last && calls_++ % 10 != 0) return;
    const std::size_t ranges = migration_.ranges_done();
    const double seconds = static_cast<double>(clock_.steady_ns() - begin_ns_) / 1e9;
    const auto samples = static_cast<double>(copying_.samples_written.load());
    std::string line = "ranges " + std::to_string(ranges) + "/" + std::to_string(migrate::kRanges) + ", " +
                       short_number(static_cast<double>(copying_.cells_read.load())) + " rows, " +
                       short_number(samples) + " samples, " + short_number(samples / std::max(seconds, 0.001)) +
                       " samples/s";
    const std::size_t done = ranges - begin_ranges_;
    if (done > 0 && !last) {
      line += ", " + duration(seconds * static_cast<double>(migrate::kRanges - ranges) / static_cast<double>(done)) +
              " left";
    }
    if (last) line += ", " + duration(seconds);
    std::fputs((terminal_ ? "\r" + line + "\x1b[K" + (last ? "\n" : "") : line + "\n").c_str(), stderr);
  }

 private:
  const migrate::Migration& migration_;
  const migrate::Copying& copying_;
  const Clock& clock_;
  const std::size_t begin_ranges_;
  const std::int64_t begin_ns_ = clock_.steady_ns();
  const bool terminal_ = ::isatty(STDERR_FILENO) == 1;
  std::uint64_t calls_ = 0;
};

// Runs `work` on another thread, shows how far it is, and stops it when a signal asks for that.
template <class Work>
auto steered(const server::Signals& signals, std::atomic<bool>& stopping, Display* display, Work work) {
  auto result = std::async(std::launch::async, work);
  while (result.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    if (signals.wait(std::chrono::milliseconds(display == nullptr ? 100 : 250)) == server::Signals::Kind::stop)
      stopping = true;
    if (result.wait_for(std::chrono::milliseconds(750)) != std::future_status::ready && display != nullptr)
      display->show(false);
  }
  if (display != nullptr) display->show(true);
  return result.get();
}

// What was found, on stdout. Exit status.
int report(const std::vector<migrate::Compared>& all, const migrate::Totals& totals, const config::Config& config) {
  std::uint64_t differ = 0, samples = 0;
  for (const auto& one : all) {
    samples += one.held;
    if (one.differs() || one.duplicates > 0) say(stdout, migrate::describe(one));
    differ += one.differs() ? 1 : 0;
  }
  for (const auto& [type, cells] : totals.other_types)
    say(stdout, "not migrated: " + std::to_string(cells) + " of type " + type);
  if (totals.bad_keys > 0)
    say(stdout, "not migrated: " + std::to_string(totals.bad_keys) + " whose key names no metric");
  if (const std::uint64_t old = totals.sum().old; old > 0 && !is_embedded(config)) {
    say(stdout, std::to_string(old) +
                    " samples are not compared: they are older than raw.retention, or soon will be, and "
                    "are kept in rollups only");
  } else if (old > 0) {
    say(stdout, std::to_string(old) +
                    " samples are older than raw.retention: a server keeps them in rollups only; raise "
                    "raw.retention before it starts if they are to stay");
  }
  const std::string metrics = std::to_string(all.size()) + " metrics, " + std::to_string(samples) + " samples in varve";
  if (differ == 0 && totals.bad_keys == 0) return say(stdout, metrics + ": all that KairosDB held"), 0;
  say(stdout, metrics + "; " + std::to_string(differ) + " metrics differ");
  return 1;
}

struct Opened {
  std::unique_ptr<server::Engine> engine;
  std::unique_ptr<write::Writer> writer;
  ~Opened() {
    engine.reset();  // first: what it commits may still call the writer back
    writer.reset();
  }
};

Result<int> run(const config::Config& config, const Arguments& args, const server::Signals& signals) {
  const SystemClock clock;
  VARVE_ASSIGN_OR_RETURN(const auto session, session_options(config, args.from));
  VARVE_ASSIGN_OR_RETURN(auto runtime, driver::Runtime::start(0));
  VARVE_ASSIGN_OR_RETURN(const auto source, migrate::KairosdbSource::open(runtime, session));
  VARVE_ASSIGN_OR_RETURN(auto progress, begin(args.progress, source->name(), target_name(config, args.tenant), clock));
  const bool embedded = is_embedded(config);
  const config::Config copying = copying_config(config);
  Opened opened;
  VARVE_ASSIGN_OR_RETURN(opened.engine, embedded ? server::open_embedded(copying, clock, "migrate")
                                                 : server::open_cluster(copying, clock, "migrate"));
  auto& engine = *opened.engine;
  opened.writer =
      std::make_unique<write::Writer>(engine.series(), engine.samples(), server::write_options(config, clock));

  std::atomic<std::uint64_t> bad_shown = 0;
  migrate::Copying shared{.source = *source,
                          .target = {*opened.writer, engine.series(), engine.samples(), args.tenant},
                          .strings = args.from.strings,
                          .bad = {}};
  shared.old_before_ms = old_before(config, progress.started_ms);
  shared.bad = [&](std::string_view key, std::string_view why, std::uint64_t cells) {
    if (++bad_shown > kBadShown) return;
    say(stderr, "bad: key " + migrate::to_hex(key) + ", " + std::to_string(cells) + " samples: " + std::string(why));
  };
  const std::size_t threads = std::clamp(2 * std::thread::hardware_concurrency(), 4U, 16U);
  TaskPool pool(static_cast<unsigned>(threads));
  migrate::Migration migration(shared, std::move(progress), args.progress, clock);
  Display display(migration, shared, clock);
  VARVE_RETURN_IF_ERROR(steered(signals, shared.stopping, &display, [&] { return migration.copy(pool, threads); }));
  const migrate::Totals& totals = migration.progress().totals;
  say(stderr, "counting");
  const model::Timestamp from = embedded ? model::kTimestampMin : shared.old_before_ms;
  VARVE_ASSIGN_OR_RETURN(const auto compared, steered(signals, shared.stopping, nullptr, [&] {
                           return migrate::compare(shared, totals, from, pool, threads);
                         }));
  return report(compared, totals, config);
}
#endif

}  // namespace

#ifdef VARVE_CLUSTER
int migrate_kairosdb(const config::Config& config, const std::vector<config::Setting>& own) {
  const auto args = arguments(config, own);
  if (!args) return failed(args.error().message, 2);
  const server::Signals signals;
  log::set_level(config.log_level);
  const auto status = run(config, *args, signals);
  if (status) return *status;
  if (status.error().code == Code::cancelled) return failed("stopped; the same command goes on from here");
  return failed(status.error().message);
}
#else
int migrate_kairosdb(const config::Config&, const std::vector<config::Setting>&) {
  return failed("built without Cassandra (VARVE_CLUSTER=OFF)");
}
#endif

}  // namespace varve::cli
