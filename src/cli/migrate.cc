// SPDX-License-Identifier: Apache-2.0
#include "cli/migrate.h"

#include <cstdio>
#include <string>

#ifdef VARVE_CLUSTER
#include <algorithm>
#include <thread>

#include "base/clock.h"
#include "base/task_pool.h"
#include "cli/migrate_steps.h"
#include "cli/server_call.h"
#include "migrate/comparison.h"
#include "migrate/migration.h"
#include "migrate/server_target.h"
#include "migrate/server_texts.h"
#include "migrate/store_target.h"
#include "rollup/levels.h"
#include "server/translate.h"
#endif

namespace varve::cli {
#ifdef VARVE_CLUSTER
namespace {

// Samples before this are told apart. The tables of a cluster let go of what is over while this is still copying: a
// tenth of the retention is the time that it has for that.
model::Timestamp old_before(const config::Config& config, model::Timestamp started) {
  if (config.raw_retention_ms >= rollup::kForEver) return model::kTimestampMin;
  return started - config.raw_retention_ms + (is_embedded(config) ? 0 : config.raw_retention_ms / 10);
}

// What was found, on stdout. Exit status.
int report(const std::vector<migrate::Compared>& all, const migrate::Totals& totals, const config::Config& config) {
  std::uint64_t differ = 0, samples = 0;
  for (const auto& one : all) {
    samples += one.held;
    if (one.held != one.wanted() || one.duplicates > 0) say(stdout, migrate::describe(one));
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

// Asked before anything is read. Error: unavailable, invalid.
Status is_reached(const migrate::ServerCall& server) {
  constexpr std::string_view kPath = "/api/v1/version";
  VARVE_ASSIGN_OR_RETURN(const migrate::ServerAnswer answer, server("GET", kPath, ""));
  return answer.status == 200 ? Status() : fail(migrate::unexpected("GET", kPath, answer));
}

// Where it goes: the store of this varve, opened, or a server.
struct Opened {
  std::unique_ptr<server::Engine> engine;
  std::unique_ptr<write::Writer> writer;
  std::unique_ptr<migrate::Target> target;
  migrate::ServerCall server;  // of --to

  Opened() = default;
  Opened(Opened&&) = default;
  Opened& operator=(Opened&&) = delete;
  ~Opened() {
    engine.reset();  // first: what it commits may still call the writer back
    writer.reset();
  }
};

Result<Opened> open_target(const config::Config& config, const MigrateArguments& args, const Clock& clock) {
  Opened opened;
  if (!args.to.empty()) {
    VARVE_ASSIGN_OR_RETURN(opened.server, server_call(args.to, config.tls.ca, args.tenant));
    VARVE_RETURN_IF_ERROR(is_reached(opened.server));
    opened.target = std::make_unique<migrate::ServerTarget>(opened.server);
    return opened;
  }
  VARVE_ASSIGN_OR_RETURN(opened.engine, open_to_copy(config, clock));
  auto& engine = *opened.engine;
  opened.writer =
      std::make_unique<write::Writer>(engine.series(), engine.samples(), server::write_options(config, clock));
  opened.target =
      std::make_unique<migrate::StoreTarget>(*opened.writer, engine.series(), engine.samples(), args.tenant);
  return opened;
}

// Metadata and roll-up tasks. Were all of them taken?
Result<bool> copy_beside(const migrate::KairosdbSource& source, const migrate::ServerCall& server,
                         const std::atomic<bool>& stopping) {
  VARVE_ASSIGN_OR_RETURN(const auto texts, source.texts(stopping));
  VARVE_ASSIGN_OR_RETURN(const auto totals, migrate::copy_texts(texts, server, stopping, [](const std::string& why) {
                           say(stderr, "bad: " + why);
                         }));
  const auto n = [](std::uint64_t number) { return std::to_string(number); };
  say(stdout, n(totals.tasks) + " roll-up tasks and " + n(totals.texts) + " texts of metadata copied" +
                  (totals.known > 0 ? ", " + n(totals.known) + " tasks were there" : "") +
                  (totals.refused > 0 ? ", " + n(totals.refused) + " refused" : ""));
  return totals.refused == 0;
}

Result<int> run(const config::Config& config, const MigrateArguments& args, const server::Signals& signals) {
  const SystemClock clock;
  VARVE_ASSIGN_OR_RETURN(const auto session, source_session(config, args.from));
  VARVE_ASSIGN_OR_RETURN(auto runtime, driver::Runtime::start(0));
  VARVE_ASSIGN_OR_RETURN(const auto source, migrate::KairosdbSource::open(runtime, session));
  const std::string target = args.to.empty() ? target_name(config, args.tenant)
                                             : "server " + shown_address(args.to) + " tenant " + args.tenant;
  VARVE_ASSIGN_OR_RETURN(auto progress, begin_progress(migrate::load_progress(args.progress), args.progress,
                                                       source->name(), target, clock));
  VARVE_ASSIGN_OR_RETURN(const Opened opened, open_target(config, args, clock));

  std::atomic<std::uint64_t> bad_shown = 0;
  migrate::Copying shared{.source = *source, .target = *opened.target, .strings = args.from.strings, .bad = {}};
  const bool counts_old = args.to.empty();  // a server rolls up at once what is older
  shared.old_before_ms = counts_old ? old_before(config, progress.started_ms) : model::kTimestampMin;
  shared.bad = [&](std::string_view key, std::string_view why, std::uint64_t cells) {
    if (++bad_shown > kBadShown) return;
    say(stderr, "bad: key " + migrate::to_hex(key) + ", " + std::to_string(cells) + " samples: " + std::string(why));
  };
  const std::size_t threads = std::clamp(2 * std::thread::hardware_concurrency(), 4U, 16U);
  TaskPool pool(static_cast<unsigned>(threads));
  migrate::Migration<migrate::RangeCopier> migration(shared, std::move(progress), args.progress, clock);
  MigrateDisplay display(
      [&] {
        return MigrateState{migration.ranges_done(), migration.ranges(), shared.cells_read, shared.samples_written};
      },
      "samples", clock);
  VARVE_RETURN_IF_ERROR(steered(signals, shared.stopping, &display, [&] { return migration.copy(pool, threads); }));
  bool all_beside = true;
  if (opened.server) {
    VARVE_ASSIGN_OR_RETURN(all_beside, steered(signals, shared.stopping, nullptr,
                                               [&] { return copy_beside(*source, opened.server, shared.stopping); }));
  }
  const migrate::Totals& totals = migration.progress().totals;
  say(stderr, "counting");
  const model::Timestamp from = is_embedded(config) ? model::kTimestampMin : shared.old_before_ms;
  VARVE_ASSIGN_OR_RETURN(const auto compared, steered(signals, shared.stopping, nullptr, [&] {
                           return migrate::compare(shared, totals, from, pool, threads);
                         }));
  const int status = report(compared, totals, config);
  return all_beside ? status : 1;
}

}  // namespace

int migrate_kairosdb(const config::Config& config, const std::vector<config::Setting>& own) {
  return migrate_command(config, own, "kairosdb", run);
}
#else
int migrate_kairosdb(const config::Config&, const std::vector<config::Setting>&) {
  std::fputs("varve: built without Cassandra (VARVE_CLUSTER=OFF)\n", stderr);
  return 1;
}
#endif

}  // namespace varve::cli
