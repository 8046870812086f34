// SPDX-License-Identifier: Apache-2.0
#include "snmp/poller/poller.h"

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/task_pool.h"

namespace varve::snmp::poller {
namespace {

constexpr std::chrono::milliseconds kLook{1000};
constexpr std::chrono::seconds kPollNowMax{60};
constexpr std::size_t kHistoriesMax = 20'000;  // that wait to be written
constexpr rlim_t kOtherFiles = 512;            // descriptors that the rest of the server is left with

// Sessions have a descriptor each. The server has raised the soft limit to the hard one.
void check_descriptors(std::size_t devices) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return;
  if (files.rlim_cur >= devices + kOtherFiles) return;
  log::error("the limit of open files is too low for so many devices: some will not be polled",
             {{"devices", devices}, {"limit", files.rlim_cur}, {"needed", devices + kOtherFiles}});
}

}  // namespace

struct Poller::State {
  const PollerOptions options;
  PollerParts parts;
  std::unique_ptr<session::Loop> loop;
  std::optional<TaskPool> pool;
  std::optional<Resolver> names;
  std::unique_ptr<Outbox> outbox;
  std::unique_ptr<Worker> worker;
  std::jthread polling;
  std::jthread looking;

  Mutex mutex;
  Condition changed;
  bool looks VARVE_GUARDED_BY(mutex) = false;

  // Of the thread that looks:
  Fleet fleet;
  std::vector<std::uint32_t> owned;
  // What the members were made of that the worker was told last.
  std::shared_ptr<const inventory::Inventories> seen;
  std::vector<std::uint32_t> seen_owned;
  model::Timestamp seen_ms = 0;
  bool is_failing = false;
  bool has_engine = false, engine_fails = false;
  std::size_t devices_warned = 0;

  std::uint16_t traps_port = 0;

  State(const PollerOptions& o, PollerParts p) : options(o), parts(std::move(p)) {}

  void poll(const std::stop_token& stopping);
  void watch(const std::stop_token& stopping);
  void look();
  void start_engine();
  [[nodiscard]] bool has_seen(const std::shared_ptr<const inventory::Inventories>& inventories,
                              model::Timestamp now_ms) const;
  [[nodiscard]] std::function<bool(std::uint32_t)> owns();
};

Poller::Poller(const PollerOptions& options, PollerParts parts)
    : state_(std::make_unique<State>(options, std::move(parts))) {}

Poller::~Poller() { stop(); }

Status Poller::start(inventory::Credentials credentials) {
  State& s = *state_;
  const auto dropped_for = [&](const char* reason) {
    return &s.parts.metrics.counter("varve_snmp_datagrams_dropped_total",
                                    "Datagrams that came to the poller and are not answers of who was asked.",
                                    {{"reason", reason}});
  };
  const session::LoopOptions loop_options{
      .timeout_ms = s.options.timeout_ms, .foreign = dropped_for("address"), .unreadable = dropped_for("unreadable")};
  VARVE_ASSIGN_OR_RETURN(s.loop, session::Loop::make(loop_options, s.parts.clock));
  s.pool.emplace(1U, kHistoriesMax);
  s.names.emplace();
  Counter& dropped = s.parts.metrics.counter("varve_snmp_samples_dropped_total",
                                             "Polled samples that were not stored: too many waited, or refused.");
  s.outbox = std::make_unique<Outbox>(s.parts.writer, OutboxOptions{.bytes_max = s.options.buffer_bytes}, dropped);
  s.worker = std::make_unique<Worker>(
      s.options,
      WorkerParts{s.parts.writer, s.parts.clock, s.parts.metrics, *s.pool, *s.names, *s.outbox, s.parts.report,
                  s.parts.forget, s.parts.record_history, s.parts.take_trap, s.parts.declared},
      *s.loop);
  if (s.options.traps) {
    const auto port = s.worker->hear_traps(*s.options.traps);
    if (!port) {
      s.worker.reset();  // nothing has started
      return fail(port.error().code, "snmp.traps: " + port.error().message);
    }
    s.traps_port = *port;
  }
  s.parts.metrics.gauge("varve_snmp_buffer_bytes", "Polled rows that wait to be stored.", [of = state_.get()] {
    return of->outbox == nullptr ? 0.0 : static_cast<double>(of->outbox->bytes());
  });
  const auto devices = [&](const char* name, std::size_t Worker::Counts::* field) {
    s.parts.metrics.gauge("varve_snmp_devices", "Devices that are polled here, by whether they answer.",
                          [of = state_.get(), field] {
                            return of->worker == nullptr ? 0.0 : static_cast<double>(of->worker->counts().*field);
                          },
                          {{"state", name}});
  };
  devices("up", &Worker::Counts::up);
  devices("down", &Worker::Counts::down);
  devices("unknown", &Worker::Counts::unknown);
  set_credentials(std::move(credentials));
  s.polling = std::jthread([&s](const std::stop_token& stopping) { s.poll(stopping); });
  s.looking = std::jthread([&s](const std::stop_token& stopping) { s.watch(stopping); });
  return {};
}

void Poller::stop() {
  State& s = *state_;
  if (s.worker == nullptr) return;
  s.looking.request_stop();
  look();
  s.looking.join();
  s.polling.request_stop();
  s.loop->wake();
  s.polling.join();  // the worker has ended with its thread
  s.names.reset();
  s.pool.reset();
  s.outbox.reset();
  s.worker.reset();
  s.loop.reset();
  if (s.parts.ownership != nullptr) s.parts.ownership->release();
}

std::uint16_t Poller::traps_port() const { return state_->traps_port; }

void Poller::set_credentials(inventory::Credentials credentials) {
  state_->worker->post([worker = state_->worker.get(), credentials = std::move(credentials)]() mutable {
    worker->set_credentials(std::move(credentials));
  });
}

void Poller::look() {
  {
    const MutexLock lock(state_->mutex);
    state_->looks = true;
  }
  state_->changed.notify_all();
}

void Poller::State::poll(const std::stop_token& stopping) {
  while (!stopping.stop_requested()) log_failure("a round of the poller failed", guarded([this] { worker->turn(); }));
  worker->close();
}

void Poller::State::watch(const std::stop_token& stopping) {
  while (!stopping.stop_requested()) {
    log_failure("the inventory was not looked at", guarded([this] { look(); }));
    const auto until = std::chrono::steady_clock::now() + kLook;
    const MutexLock lock(mutex);
    while (!looks && changed.wait_until(mutex, until) == std::cv_status::no_timeout) {
    }
    looks = false;
  }
}

// What the board does not answer about stays as it was: better two poll a device than nobody.
std::function<bool(std::uint32_t)> Poller::State::owns() {
  if (parts.ownership == nullptr) return [](std::uint32_t) { return true; };
  parts.ownership->heartbeat();
  if (parts.ownership->jobs()) owned = parts.ownership->partitions();
  std::vector<bool> mine(kPartitions, false);
  for (const std::uint32_t partition : owned) mine[partition] = true;
  return [mine = std::move(mine)](std::uint32_t partition) { return mine[partition]; };
}

// Members are as large as the inventory: they are not made with every look only to be as they were. The store gives
// the same object until something changes.
bool Poller::State::has_seen(const std::shared_ptr<const inventory::Inventories>& inventories,
                             model::Timestamp now_ms) const {
  return seen == inventories && seen_owned == owned && now_ms >= seen_ms && now_ms < fleet.changes_at();
}

void Poller::State::start_engine() {
  if (has_engine || !options.traps || !parts.start_engine) return;
  const auto engine = parts.start_engine();
  if (!engine && !engine_fails) {
    log::warn("informs of SNMPv3 are not taken yet: the engine id is not known", {{"error", engine.error().message}});
  }
  engine_fails = !engine;
  if (!engine) return;
  has_engine = true;
  log::info("informs of SNMPv3 are taken",
            {{"engine", inventory::engine_text(engine->id)}, {"boots", std::to_string(engine->boots)}});
  worker->post([of = worker.get(), engine = *engine] { of->set_engine(engine); });
}

void Poller::State::look() {
  start_engine();
  const auto inventories = parts.inventories();
  if (!inventories && !is_failing) {
    log::warn("the inventory cannot be read; what was known is polled", {{"error", inventories.error().message}});
  }
  is_failing = !inventories;
  if (!inventories) return;
  const auto owns_partition = owns();
  const model::Timestamp now_ms = parts.clock.now_ms();
  if (has_seen(*inventories, now_ms)) return;
  Members members = fleet.members(**inventories, owns_partition, now_ms);
  if (members.size() > devices_warned) check_descriptors(members.size());
  devices_warned = members.size();
  worker->post([of = worker.get(), members = std::move(members)]() mutable { of->set_members(std::move(members)); });
  seen = *inventories;
  seen_owned = owned;
  seen_ms = now_ms;
}

Result<std::vector<inventory::PolledSet>> Poller::poll_now(const std::string& tenant,
                                                           const inventory::Inventory& inventory,
                                                           const inventory::Device& device, const std::string& oidset) {
  VARVE_ASSIGN_OR_RETURN(Member member, member_of(inventory, device, oidset));
  using Sets = Result<std::vector<inventory::PolledSet>>;
  const auto promise = std::make_shared<std::promise<Sets>>();
  auto answer = promise->get_future();
  Worker* const worker = state_->worker.get();
  if (worker == nullptr) return fail(Code::unavailable, "this replica does not poll");
  worker->post([worker, promise, key = DeviceKey(tenant, device.name), member = std::move(member)] {
    worker->poll_once(key, member, [promise](Sets sets) { promise->set_value(std::move(sets)); });
  });
  if (answer.wait_for(kPollNowMax) != std::future_status::ready) {
    return fail(Code::unavailable, "the poll takes longer than a minute");
  }
  return guarded([&] { return answer.get(); });  // broken if the poller has ended
}

}  // namespace varve::snmp::poller
