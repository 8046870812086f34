// SPDX-License-Identifier: Apache-2.0
#include "cli/migrate_contrail.h"

#include <cstdio>

#ifdef VARVE_CLUSTER
#include <algorithm>
#include <ctime>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/task_pool.h"
#include "cli/migrate_steps.h"
#include "migrate/contrail_copier.h"
#include "migrate/contrail_survey.h"
#include "migrate/message_count.h"
#include "migrate/migration.h"
#include "rollup/levels.h"
#include "server/translate.h"
#endif

namespace varve::cli {
#ifdef VARVE_CLUSTER
namespace {

using migrate::ContrailCopying;
using migrate::ContrailTable;
using migrate::ContrailTotals;
constexpr std::int64_t kUsPerMs = 1000, kUsPerSecond = 1'000'000;

std::string utc(std::int64_t us) {
  const std::time_t seconds = us / kUsPerSecond;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text;
}

std::string n(std::uint64_t number) { return std::to_string(number); }

// What will be refused, before a message is read.
Status say_what_is_old(const ContrailCopying& shared, const message::Classes& classes, TaskPool& pool,
                       std::size_t threads) {
  // Of classes that are kept for less time some more will be refused, which their messages have to be read for.
  const std::int64_t retention_ms = classes.longest_ms();
  if (retention_ms >= rollup::kForEver) return {};
  say(stderr, "reading from when the messages are");
  const std::int64_t kept_from_us = (shared.clock.now_ms() - retention_ms) * kUsPerMs;
  VARVE_ASSIGN_OR_RETURN(const auto found,
                         migrate::survey(shared.source, kept_from_us, pool, threads, shared.stopping));
  if (found.old == 0) return {};
  say(stderr, "messages before " + utc(kept_from_us) + " are older than messages.retention and will be refused: " +
                  n(found.old) + " of " + n(found.slots) + " partitions, the first of " + utc(found.first_us) +
                  ". To keep them, stop this, set a longer messages.retention (for the server, too), delete the "
                  "progress file, and begin anew; what is there already is not stored twice.");
  return {};
}

// What was found, on stdout. Was everything taken?
bool report_tables(const migrate::ContrailSource& source, const ContrailTotals& totals) {
  const auto line = [&](ContrailTable table, const std::string& name) {
    const auto& c = totals.tables[static_cast<std::size_t>(table)];
    if (!source.has(table)) return;
    say(stdout, name + ": " + n(c.read) + " messages read, " + n(c.written) + " written, " + n(c.bad) + " skipped, " +
                    n(c.too_old + c.ahead) + " refused (" + n(c.too_old) + " older than messages.retention, " +
                    n(c.ahead) + " further ahead than messages.future)");
  };
  line(ContrailTable::v2, "messagetablev2");
  line(ContrailTable::v1, "messagetable");
  for (const auto& [reason, times] : totals.reasons) say(stdout, "skipped: " + n(times) + ": " + reason);
  const auto sum = totals.sum();
  if (sum.bad_names > 0) say(stdout, n(sum.bad_names) + " were written without a name that is not an object's");
  if (sum.too_old > 0) {
    say(stdout, "to keep older ones, set a longer messages.retention, delete the progress file, and run this again");
  }
  return sum.read == sum.written && sum.bad_names == 0;
}

// Compares with what is stored. What will be over soon is left out, since it may go meanwhile.
Result<bool> report_held(ContrailCopying& shared, const ContrailTotals& totals, const server::Signals& signals) {
  const std::uint64_t written = totals.sum().written - totals.sum().fading;
  if (written == 0) return true;
  say(stderr, "counting");
  const std::int64_t first_us = std::max(totals.first_us, shared.fading_before_us);
  VARVE_ASSIGN_OR_RETURN(const std::uint64_t held, steered(signals, shared.stopping, nullptr, [&] {
                           return migrate::count_messages(shared.target, first_us, totals.last_us, shared.clock,
                                                          shared.stopping);
                         }));
  std::string line = "varve holds " + n(held) + " messages of tenant " + shared.target.tenant + " from " +
                     utc(first_us) + " to " + utc(totals.last_us);
  if (totals.sum().fading > 0) line += ", where " + n(written) + " were written";
  if (held < written)
    line += "; " + n(written - held) + " fewer than were written (of the same time and id it holds one)";
  say(stdout, line);
  return held >= written;
}

// In a cluster other replicas may drop what is over while this is still copying: a tenth of the retention is the time
// that it has for that.
std::int64_t fading_before_us(const config::Config& config, const message::Classes& classes, std::int64_t started_ms) {
  const std::int64_t retention_ms = classes.shortest_ms();
  if (is_embedded(config) || retention_ms >= rollup::kForEver) return std::numeric_limits<std::int64_t>::min();
  return (started_ms - retention_ms + retention_ms / 10) * kUsPerMs;
}

class BadRows {
 public:
  void operator()(std::string_view row, std::string_view why) {
    if (++shown_ <= kBadShown) say(stderr, "bad: " + std::string(row) + ": " + std::string(why));
  }

 private:
  std::atomic<std::uint64_t> shown_ = 0;
};

Status copy(ContrailCopying& shared, migrate::Migration<migrate::ContrailCopier>& migration,
            const config::Config& config, const server::Signals& signals) {
  const std::size_t threads = std::clamp(2 * std::thread::hardware_concurrency(), 4U, 16U);
  TaskPool pool(static_cast<unsigned>(threads));
  const std::size_t done = migration.ranges_done();
  if (done == migration.ranges()) return {};
  if (done == 0) {
    VARVE_RETURN_IF_ERROR(steered(signals, shared.stopping, nullptr, [&] {
      return say_what_is_old(shared, server::message_classes(config), pool, threads);
    }));
  }
  if (shared.source.has_names() && !shared.names.complete()) {
    say(stderr, "reading objecttable");
    VARVE_RETURN_IF_ERROR(
        steered(signals, shared.stopping, nullptr, [&] { return migrate::gather_names(shared, pool, threads); }));
  }
  MigrateDisplay display(
      [&] {
        return MigrateState{migration.ranges_done(), migration.ranges(), shared.rows_read, shared.messages_written};
      },
      "messages", shared.clock);
  VARVE_RETURN_IF_ERROR(steered(signals, shared.stopping, &display, [&] { return migration.copy(pool, threads); }));
  shared.names.remove();
  return {};
}

Result<int> run_contrail(const config::Config& config, const MigrateArguments& args, const server::Signals& signals) {
  const SystemClock clock;
  VARVE_ASSIGN_OR_RETURN(const auto session, source_session(config, args.from));
  VARVE_ASSIGN_OR_RETURN(auto runtime, driver::Runtime::start(0));
  VARVE_ASSIGN_OR_RETURN(const auto source, migrate::ContrailSource::open(runtime, session, args.from.exact_keyspace));
  VARVE_ASSIGN_OR_RETURN(auto progress, begin_progress(migrate::load_contrail_progress(args.progress), args.progress,
                                                       source->name(), target_name(config, args.tenant), clock));
  VARVE_ASSIGN_OR_RETURN(const auto engine, open_to_copy(config, clock));
  if (engine->messages() == nullptr) return fail(Code::unsupported, "this engine keeps no messages");

  const message::Classes classes = server::message_classes(config);
  migrate::ContrailNames names(args.progress + ".names");
  ContrailCopying shared{.source = *source,
                         .names = names,
                         .target = {*engine->messages(), args.tenant},
                         .clock = clock,
                         .retention_ms = [&](auto row) { return classes.retention_ms(classes.of(row)); },
                         .future_ms = config.messages.future_ms,
                         .fading_before_us = fading_before_us(config, classes, progress.started_ms),
                         .bad = {}};
  BadRows bad;
  shared.bad = std::ref(bad);
  migrate::Migration<migrate::ContrailCopier> migration(shared, std::move(progress), args.progress, clock);
  VARVE_RETURN_IF_ERROR(copy(shared, migration, config, signals));
  const ContrailTotals& totals = migration.progress().totals;
  const bool all_taken = report_tables(*source, totals);
  VARVE_ASSIGN_OR_RETURN(const bool all_held, report_held(shared, totals, signals));
  return all_taken && all_held ? 0 : 1;
}

}  // namespace

int migrate_contrail(const config::Config& config, const std::vector<config::Setting>& own) {
  return migrate_command(config, own, "contrail", run_contrail);
}
#else
int migrate_contrail(const config::Config&, const std::vector<config::Setting>&) {
  std::fputs("varve: built without Cassandra (VARVE_CLUSTER=OFF)\n", stderr);
  return 1;
}
#endif

}  // namespace varve::cli
