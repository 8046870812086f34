// SPDX-License-Identifier: Apache-2.0
#include "snmp/poller/worker.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/guarded.h"
#include "base/log.h"
#include "snmp/poller/one_off.h"

namespace varve::snmp::poller {
namespace {

using inventory::DeviceState;
using walk::Fault;

constexpr std::int64_t kWaitMs = 1000;
constexpr double kSecondsPerNs = 1e-9;
constexpr std::int64_t kExtraAgainMs = 1000;
constexpr std::size_t kKeptBytes = std::size_t{256} << 10;  // of a poll that may be used again

const std::vector<double> kLateness = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10};
constexpr std::string_view kPolls = "varve_snmp_polls_total";
constexpr std::string_view kLeftOut = "varve_snmp_rows_left_out_total";
constexpr std::string_view kLeftOutHelp = "Rows of tables that polls brought and that are not stored.";
constexpr std::string_view kPollsHelp = "Polls of an oidset of a device, by what became of them.";

}  // namespace

Worker::Worker(const PollerOptions& options, WorkerParts parts, session::Loop& loop)
    : options_(options),
      parts_(std::move(parts)),
      loop_(loop),
      self_(std::make_shared<Worker*>(this)),
      trap_counters_(parts_.metrics),
      acknowledgements_(std::make_shared<Acknowledgements>([this] { loop_.wake(); })),
      ok_(parts_.metrics.counter(kPolls, kPollsHelp, {{"result", "ok"}})),
      timeout_(parts_.metrics.counter(kPolls, kPollsHelp, {{"result", "timeout"}})),
      error_(parts_.metrics.counter(kPolls, kPollsHelp, {{"result", "error"}})),
      skipped_(parts_.metrics.counter(kPolls, kPollsHelp, {{"result", "skipped"}})),
      objects_(parts_.metrics.counter("varve_snmp_objects_total", "Values that polls brought to be stored.")),
      unnamed_(parts_.metrics.counter(kLeftOut, kLeftOutHelp, {{"reason", "unnamed"}})),
      same_name_(parts_.metrics.counter(kLeftOut, kLeftOutHelp, {{"reason", "same_name"}})),
      renumbered_(parts_.metrics.counter(kLeftOut, kLeftOutHelp, {{"reason", "renumbered"}})),
      lateness_(parts_.metrics.histogram("varve_snmp_lateness_seconds",
                                         "From the time of the schedule to the start of a poll.", kLateness)) {
  for (std::size_t why = 0; why < unknown_.size(); ++why) {
    unknown_[why] = &parts_.metrics.counter(
        "varve_snmp_unknown_increases_total",
        "Times that a counter was polled and its increase since the poll before is unknown, by why.",
        {{"reason", std::string(counter::kWhyUnknown[why])}});
  }
}

void Worker::post(std::function<void()> work) {
  {
    const MutexLock lock(mutex_);
    posted_.push_back(std::move(work));
  }
  loop_.wake();
}

void Worker::run_posted() {
  std::vector<std::function<void()>> posted;
  {
    const MutexLock lock(mutex_);
    posted.swap(posted_);
  }
  for (const auto& work : posted) log_failure("work of the poller failed", guarded(work));
}

void Worker::turn() {
  run_posted();
  for (const auto& [peer, answer] : acknowledgements_->take()) loop_.say(peer, answer);
  take_due();
  start_waiting();
  knock_on_silent();
  run_later();
  std::int64_t wait = schedule_.wait_ms(parts_.clock.now_ms(), kWaitMs);
  const std::int64_t now_ms = parts_.clock.steady_ns() / 1'000'000;
  if (!silent_.empty()) wait = std::clamp<std::int64_t>(silent_.begin()->first - now_ms, 0, wait);
  if (!later_.empty()) wait = std::clamp<std::int64_t>(later_.begin()->first - now_ms, 0, wait);
  loop_.turn(wait);
}

void Worker::after(std::int64_t wait_ms, std::function<void()> work) {
  later_.emplace(parts_.clock.steady_ns() / 1'000'000 + wait_ms, std::move(work));
}

void Worker::run_later() {
  const std::int64_t now_ms = parts_.clock.steady_ns() / 1'000'000;
  while (!later_.empty() && later_.begin()->first <= now_ms) {
    const auto work = std::move(later_.extract(later_.begin()).mapped());
    work();
  }
}

void Worker::take_due() {
  while (const auto due = schedule_.pop(parts_.clock.now_ms())) {
    Job& job = *jobs_[due->job];
    if (job.device->backoff.is_silent() || job.device->is_resolving) continue;
    skipped_.add(due->missed);
    if (job.running == nullptr && !job.waits) {
      queue(job, due->due_ms);
    } else if (!due->is_extra) {
      skipped_.add();
    } else if (job.running != nullptr) {  // it may have begun before what the trap tells of
      schedule_.add_once(job.number, parts_.clock.now_ms() + kExtraAgainMs);
    }
  }
}

void Worker::queue(Job& job, model::Timestamp due_ms) {
  job.waits = true;
  job.due_ms = due_ms;
  if (job.device->running < kPollsOfDevice && job.device->queue.empty()) {
    ready_.push_back(&job);
  } else {
    job.device->queue.push_back(&job);
  }
}

void Worker::start_waiting() {
  while (!ready_.empty() && running_ < kPollsMax) {
    Job& job = *ready_.front();
    ready_.pop_front();
    if (job.device->running < kPollsOfDevice) {
      start(job);
    } else {
      job.device->queue.insert(job.device->queue.begin(), &job);
    }
  }
}

Poll& Worker::take_poll() {
  if (free_polls_.empty()) {
    polls_.push_back(std::make_unique<Poll>(scratch_, [this](Poll& poll, const PollEnd& end) { on_end(poll, end); }));
    free_polls_.push_back(polls_.back().get());
  }
  Poll* const poll = free_polls_.back();
  free_polls_.pop_back();
  return *poll;
}

void Worker::start(Job& job) {
  Device& device = *job.device;
  job.waits = false;
  if (device.backoff.is_silent() || device.is_resolving) return;
  if (const Status opened = open(device); !opened) {
    if (opened.error().code != Code::unavailable) on_failure(device, opened.error().message);
    return;
  }
  lateness_.observe(static_cast<double>(std::max<std::int64_t>(0, parts_.clock.now_ms() - job.due_ms)) / 1000.0);
  Poll& poll = take_poll();
  poll.job = job.number;
  job.running = &poll;
  job.began_ns = parts_.clock.steady_ns();
  ++device.running;
  ++running_;
  poll.start({.plan = job.plan,
              .device = device.key.second,
              .session = device.session.get(),
              .version = device.secret->credential.version,
              .tries = options_.retries + 1,
              .memory = &job.memory,
              .finder = &device.finder});
}

void Worker::release(Poll& poll) {
  Job& job = *jobs_[poll.job];
  --job.device->running;
  --running_;
  job.running = nullptr;
  if (poll.found().records.bytes() > kKeptBytes) poll.found() = {};
  free_polls_.push_back(&poll);
  if (!job.device->queue.empty()) {
    ready_.push_back(job.device->queue.front());
    job.device->queue.erase(job.device->queue.begin());
  }
}

void Worker::on_end(Poll& poll, const PollEnd& end) {
  Job& job = *jobs_[poll.job];
  Device& device = *job.device;
  const model::Timestamp now_ms = parts_.clock.now_ms();
  const bool renumbered = poll.found().renumbered && end.fault == Fault::none;
  (end.fault == Fault::none && !renumbered ? ok_ : end.fault == Fault::timeout ? timeout_ : error_).add();
  if (end.answered) {
    device.last_error = renumbered ? "rows got other names during the poll" : end.error;
    device.backoff.answered();
    if (device.state == DeviceState::down) tell_state(device, "a device answers again", end.error);
    set_state(device, DeviceState::up);
  }
  store(job, poll, end, now_ms);
  if (end.answered) {
    count_interfaces(device);
    report(device, now_ms);
  }
  release(poll);
  if (end.fault == Fault::refused || end.fault == Fault::malformed) device.starts_anew = true;
  if (!end.answered) on_failure(device, end.error);
}

void Worker::store(Job& job, Poll& poll, const PollEnd& end, model::Timestamp now_ms) {
  Device& device = *job.device;
  correlation::Found& found = poll.found();
  const std::string& tenant = device.key.first;
  objects_.add(found.records.samples());
  own_records_.clear();
  if (end.answered) {
    append(device, device.up, "snmp.up", now_ms, 1, false);
    const auto seconds = static_cast<double>(parts_.clock.steady_ns() - job.began_ns) * kSecondsPerNs;
    append(device, device.seconds, "snmp.poll_seconds", now_ms, seconds, true);
  }
  parts_.outbox.push(tenant, found.records);
  parts_.outbox.push(tenant, own_records_);
  tell_left_out(job, found);
  if (!job.plan->oidset.history || !end.is_whole || found.renumbered) return;
  auto rows = std::make_shared<std::vector<inventory::WalkedRow>>(std::move(found.history));
  const bool posted =
      parts_.pool.post([record = parts_.record_history, key = device.key, plan = job.plan, time = found.first_ms,
                        rows] { record(key.first, key.second, plan->oidset, time, *rows); });
  if (!posted) log::warn("a history waits for the next poll: too many are written", {{"device", device.key.second}});
}

void Worker::append(Device& device, model::GroupId& group, const char* metric, model::Timestamp at, double value,
                    bool is_real) {
  if (const auto generation = device.finder.generation(); device.generation != generation) {
    device.generation = generation;
    device.up = device.seconds = model::kNoGroup;
  }
  if (group == model::kNoGroup) {
    name_.clear();
    name_.add_tag("device", device.key.second);
    name_.add_metric(metric);
    group = device.finder.find(name_);
  }
  const std::int64_t bits = is_real ? std::bit_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
  own_records_.add({.group = group, .at = at, .is_real = is_real}, {&bits, 1},
                   group == model::kNoGroup ? &name_ : nullptr);
}

// Once for each change of names, not with every poll.
void Worker::tell_left_out(Job& job, const correlation::Found& found) {
  unnamed_.add(found.unnamed);
  same_name_.add(found.doubled);
  renumbered_.add(found.records_dropped);
  for (std::size_t why = 0; why < unknown_.size(); ++why) {
    unknown_[why]->add(found.unknown.counts[why]);
    job.device->unknown_increases[why] += found.unknown.counts[why];
  }
  job.left_out = found.left_out();
  const bool has = found.unnamed + found.doubled > 0;
  if (has && job.tells) {
    log::warn("rows without a name of their own are not stored", {{"device", job.device->key.second},
                                                                  {"oidset", job.plan->oidset.name},
                                                                  {"without", found.unnamed},
                                                                  {"with_anothers", found.doubled},
                                                                  {"such_as", found.doubled_name}});
  }
  job.tells = !has;
}

void Worker::count_interfaces(Device& device) {
  device.interfaces = 0;
  for (const auto& job : device.jobs) {
    const auto& layouts = job->plan->correlator.layouts;
    const bool of_interfaces = std::ranges::any_of(layouts, [](const inventory::Layout& layout) {
      return std::ranges::find(layout.tags, "interface", &inventory::TagRule::name) != layout.tags.end();
    });
    if (!of_interfaces) continue;
    for (const auto& table : job->memory.tables) {
      const std::size_t named = table.names.entries().size() - table.names.unnamed() - table.names.doubled();
      device.interfaces = std::max(device.interfaces, named);
    }
  }
}

void Worker::report(Device& device, model::Timestamp now_ms) {
  std::vector<std::string> left_out;
  for (const auto& job : device.jobs) {
    for (const std::string& what : job->left_out) left_out.push_back(job->plan->oidset.name + ": " + what);
  }
  parts_.report(device.key.first, device.key.second,
                {.state = device.state,
                 .last_poll = now_ms,
                 .last_error = device.last_error,
                 .interfaces = device.interfaces,
                 .left_out = std::move(left_out),
                 .unknown_increases = device.unknown_increases});
}

}  // namespace varve::snmp::poller
