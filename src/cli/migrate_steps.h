// SPDX-License-Identifier: Apache-2.0
// What the commands that migrate have in common: their own flags, the other database's Cassandra, the line that shows
// how far it is.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "config/config.h"
#include "config/yaml.h"
#include "driver/cassandra.h"
#include "migrate/source_address.h"
#include "server/engine.h"
#include "server/signals.h"

namespace varve::cli {

inline constexpr std::uint64_t kBadShown = 1000;  // further bad keys and rows are only counted

struct MigrateArguments {
  migrate::SourceAddress from;
  std::string tenant, progress;
  std::string to;  // the address of a server; empty: this varve's own store
};

// `what`: the database, as the command names it. Error: invalid.
Result<MigrateArguments> migrate_arguments(const config::Config& config, const std::vector<config::Setting>& own,
                                           std::string_view what);

// As for varve's own Cassandra, but for what the address says.
Result<driver::SessionOptions> source_session(config::Config config, const migrate::SourceAddress& from);

// Opens the engine for taking in what is old, in an order that has nothing to do with time.
Result<std::unique_ptr<server::Engine>> open_to_copy(const config::Config& config, const Clock& clock);

bool is_embedded(const config::Config& config);
// What the progress belongs to, as one line.
std::string target_name(const config::Config& config, const std::string& tenant);

// The progress of before, if there is one, else one that begins now. Errors: conflict (it is of another source or
// target), and `before`.
template <class Progress>
Result<Progress> begin_progress(Result<std::optional<Progress>> before, const std::string& path,
                                const std::string& source, const std::string& target, const Clock& clock) {
  if (!before) return fail(before.error());
  std::optional<Progress> known = std::move(*before);
  if (!known) {
    Progress fresh;
    fresh.source = source;
    fresh.target = target;
    fresh.started_ms = clock.now_ms();
    return fresh;
  }
  if (known->source != source || known->target != target) {
    return fail(Code::conflict, path + " is the progress from " + known->source + " into " + known->target +
                                    ", not from " + source + " into " + target + "; name another file with --progress");
  }
  return std::move(*known);
}

void say(std::FILE* to, const std::string& line);
// Says why, and returns the status.
int migrate_failed(const std::string& why, int status = 1);

// The command `varve migrate WHAT`: reads its flags, runs it, and returns the program's exit status.
using MigrateRun = std::function<Result<int>(const config::Config&, const MigrateArguments&, const server::Signals&)>;
int migrate_command(const config::Config& config, const std::vector<config::Setting>& own, std::string_view what,
                    const MigrateRun& run);

// How far it is.
struct MigrateState {
  std::size_t done = 0, ranges = 0;
  std::uint64_t rows = 0;     // read
  std::uint64_t written = 0;  // since this process began
};

// The line on stderr: on a terminal one that changes each second, else a new one every ten.
class MigrateDisplay {
 public:
  // `things`: what is written, such as samples.
  MigrateDisplay(std::function<MigrateState()> state, std::string things, const Clock& clock);
  void show(bool last);

 private:
  const std::function<MigrateState()> state_;
  const std::string things_;
  const Clock& clock_;
  const std::size_t begin_ranges_;
  const std::int64_t begin_ns_;
  const bool terminal_;
  std::uint64_t calls_ = 0;
};

// Runs `work` on another thread, shows how far it is, and stops it when a signal asks for that.
template <class Work>
auto steered(const server::Signals& signals, std::atomic<bool>& stopping, MigrateDisplay* display, Work work) {
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

}  // namespace varve::cli
