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
#include "migrate/comparison.h"
#include "migrate/migration.h"
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

Result<int> run(const config::Config& config, const MigrateArguments& args, const server::Signals& signals) {
  const SystemClock clock;
  VARVE_ASSIGN_OR_RETURN(const auto session, source_session(config, args.from));
  VARVE_ASSIGN_OR_RETURN(auto runtime, driver::Runtime::start(0));
  VARVE_ASSIGN_OR_RETURN(const auto source, migrate::KairosdbSource::open(runtime, session));
  VARVE_ASSIGN_OR_RETURN(auto progress, begin_progress(migrate::load_progress(args.progress), args.progress,
                                                       source->name(), target_name(config, args.tenant), clock));
  const bool embedded = is_embedded(config);
  Opened opened;
  VARVE_ASSIGN_OR_RETURN(opened.engine, open_to_copy(config, clock));
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
  migrate::Migration<migrate::RangeCopier> migration(shared, std::move(progress), args.progress, clock);
  MigrateDisplay display(
      [&] {
        return MigrateState{migration.ranges_done(), migration.ranges(), shared.cells_read, shared.samples_written};
      },
      "samples", clock);
  VARVE_RETURN_IF_ERROR(steered(signals, shared.stopping, &display, [&] { return migration.copy(pool, threads); }));
  const migrate::Totals& totals = migration.progress().totals;
  say(stderr, "counting");
  const model::Timestamp from = embedded ? model::kTimestampMin : shared.old_before_ms;
  VARVE_ASSIGN_OR_RETURN(const auto compared, steered(signals, shared.stopping, nullptr, [&] {
                           return migrate::compare(shared, totals, from, pool, threads);
                         }));
  return report(compared, totals, config);
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
