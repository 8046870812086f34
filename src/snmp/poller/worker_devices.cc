// SPDX-License-Identifier: Apache-2.0
// Which devices there are, how they are reached, and what happens while one is silent.
#include <algorithm>
#include <utility>

#include "base/log.h"
#include "snmp/poller/one_off.h"

namespace varve::snmp::poller {
namespace {

using inventory::DeviceState;

constexpr const char* kElsewhere = "its address is outside of the networks of its credential";
constexpr session::Arc kUptimeName[] = {1, 3, 6, 1, 2, 1, 1, 3, 0};

}  // namespace

Worker::~Worker() { close(); }

void Worker::close() {
  *self_ = nullptr;
  acknowledgements_->close();
  later_.clear();
  one_offs_.clear();
  while (!devices_.empty()) remove_device(*devices_.begin()->second);
}

void Worker::set_state(Device& device, DeviceState state) {
  counts_[static_cast<std::size_t>(device.state)].fetch_sub(1, std::memory_order_relaxed);
  device.state = state;
  counts_[static_cast<std::size_t>(state)].fetch_add(1, std::memory_order_relaxed);
}

Worker::Counts Worker::counts() const {
  const auto of = [this](DeviceState state) {
    return counts_[static_cast<std::size_t>(state)].load(std::memory_order_relaxed);
  };
  return {of(DeviceState::up), of(DeviceState::down), of(DeviceState::unknown)};
}

std::size_t Worker::memory_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [key, device] : devices_) {
    bytes += sizeof *device + key.first.size() + 2 * key.second.size();
    for (const auto& job : device->jobs) bytes += sizeof *job + job->memory.memory_bytes();
  }
  return bytes;
}

void Worker::set_members(Members members) {
  std::vector<Device*> gone;
  for (const auto& [key, device] : devices_) {
    const auto at = members.find(key);
    const bool moved = at != members.end() && (at->second.address != device->member.address ||
                                               at->second.credential != device->member.credential);
    if (at == members.end()) parts_.forget(key.first, key.second);
    if (at == members.end() || moved) gone.push_back(device.get());
  }
  for (Device* const device : gone) remove_device(*device);
  for (auto& [key, member] : members) {
    const auto known = devices_.find(key);
    if (known == devices_.end()) {
      add_device(key, std::move(member));
    } else if (known->second->member != member) {
      set_plans(*known->second, member);
    }
  }
}

void Worker::set_credentials(inventory::Credentials credentials) {
  credentials_.set(std::move(credentials));
  for (const auto& [key, device] : devices_) {
    const auto now = credentials_.find(key.first, device->member.credential);
    const bool is_same = now ? *now == device->secret : device->secret == nullptr;
    if (is_same) continue;
    device->starts_anew = true;
    ask_soon(*device);
  }
}

void Worker::add_device(const DeviceKey& key, Member member) {
  auto device = std::make_unique<Device>();
  device->key = key;
  device->number = ++devices_so_far_;
  device->member.address = member.address;
  device->member.credential = member.credential;
  device->finder = Finder(parts_.writer, parts_.declared, key.first);
  set_peer(*device, session::peer_of_address(member.address.host, member.address.port));
  device->is_name = !device->peer.has_value();
  device->knock.answered = [this, of = device.get()](const session::Answer& answer) { on_knock(*of, answer); };
  counts_[static_cast<std::size_t>(device->state)].fetch_add(1, std::memory_order_relaxed);
  set_plans(*device, member);
  devices_.emplace(key, std::move(device));
}

void Worker::remove_device(Device& device) {
  while (!device.jobs.empty()) remove_job(*device.jobs.back());
  silent_.erase({device.backoff.next_ms(), &device});
  leave_place(device);
  counts_[static_cast<std::size_t>(device.state)].fetch_sub(1, std::memory_order_relaxed);
  devices_.erase(DeviceKey(device.key));
}

// Jobs whose plan is as it was go on.
void Worker::set_plans(Device& device, const Member& member) {
  for (std::size_t i = device.jobs.size(); i-- > 0;) {
    Job& job = *device.jobs[i];
    if (std::ranges::find(member.plans, job.plan) == member.plans.end()) remove_job(job);
  }
  for (const auto& plan : member.plans) {
    const bool is_there = std::ranges::any_of(device.jobs, [&](const auto& job) { return job->plan == plan; });
    if (!is_there) add_job(device, plan);
  }
  device.member.plans = member.plans;
}

void Worker::add_job(Device& device, std::shared_ptr<const walk::Plan> plan) {
  auto job = std::make_unique<Job>();
  job->device = &device;
  job->plan = std::move(plan);
  const std::int64_t frequency_ms = job->plan->oidset.frequency_ms;
  job->number = schedule_.add(frequency_ms, schedule::phase_ms(device.key.first, device.key.second, frequency_ms),
                              parts_.clock.now_ms());
  if (job->number >= jobs_.size()) jobs_.resize(job->number + 1);
  jobs_[job->number] = job.get();
  device.jobs.push_back(std::move(job));
}

void Worker::remove_job(Job& job) {
  Device& device = *job.device;
  std::erase(ready_, &job);
  std::erase(device.queue, &job);
  if (Poll* const poll = job.running) {
    // What it has asked is forgotten with the session; so is what other polls of this device have.
    device.session.reset();
    device.knock.is_under_way = false;
    for (const auto& other : device.jobs) {
      if (other->running == nullptr) continue;
      Poll& abandoned = *other->running;
      abandoned.abandon();
      release(abandoned);
    }
    std::erase(ready_, &job);
    static_cast<void>(poll);
  }
  schedule_.remove(job.number);
  jobs_[job.number] = nullptr;
  std::erase_if(device.jobs, [&job](const auto& one) { return one.get() == &job; });
}

Device* Worker::find(const DeviceKey& key, std::uint64_t number) {
  const auto at = devices_.find(key);
  return at == devices_.end() || at->second->number != number ? nullptr : at->second.get();
}

Status Worker::open(Device& device) {
  if (device.starts_anew && device.running == 0 && !device.knock.is_under_way) {
    device.session.reset();
    device.secret.reset();
    device.starts_anew = false;
  }
  if (device.session != nullptr) return {};
  const auto& [tenant, name] = device.key;
  VARVE_ASSIGN_OR_RETURN(device.secret, credentials_.find(tenant, device.member.credential));
  if (!device.peer) {
    resolve(device);
    return fail(Code::unavailable, "its name is looked up");
  }
  // A session sends to this address alone.
  if (!credentials_.may_go_to(tenant, device.member.credential, *device.peer)) {
    fail_later(device, kElsewhere);
    return fail(Code::unavailable, kElsewhere);
  }
  VARVE_ASSIGN_OR_RETURN(device.session, loop_.open({*device.peer, device.secret}));
  return {};
}

void Worker::resolve(Device& device) {
  if (device.is_resolving) return;
  device.is_resolving = true;
  // The resolver ends before the worker does.
  const bool posted = parts_.names.post(
      device.member.address, [self = self_, worker = this, key = device.key, number = device.number](const auto& peer) {
        worker->post([self, key, number, peer] {
          if (*self != nullptr) (*self)->on_resolved(key, number, peer);
        });
      });
  if (posted) return;
  device.is_resolving = false;
  be_silent(device);
}

void Worker::on_resolved(const DeviceKey& key, std::uint64_t number, const Result<session::Peer>& peer) {
  Device* const device = find(key, number);
  if (device == nullptr) return;
  // Where it was last is better than nowhere.
  if (!peer && !device->peer) return fail_later(*device, peer.error().message);
  device->is_resolving = false;
  if (peer && device->peer != *peer) {
    device->starts_anew = true;
    set_peer(*device, *peer);
  }
  if (device->backoff.is_silent()) return knock(*device);
  poll_all(*device);
}

// To a tenant all addresses that do not answer look alike: what the server can resolve and reach is not his to find
// out.
void Worker::fail_later(Device& device, const std::string& detail) {
  device.is_resolving = true;
  const unsigned tries = device.backoff.is_silent() ? 1 : options_.retries + 1;
  after(options_.timeout_ms * tries, [this, key = device.key, number = device.number, detail] {
    Device* const of = find(key, number);
    if (of == nullptr) return;
    of->is_resolving = false;
    on_failure(*of, std::string(to_text(walk::Fault::timeout)), detail);
  });
}

void Worker::poll_all(Device& device) {
  for (const auto& job : device.jobs) {
    if (job->running == nullptr && !job->waits) queue(*job, parts_.clock.now_ms());
  }
}

void Worker::tell_state(Device& device, const char* what, const std::string& error) {
  const auto untold = device.talk.say(parts_.clock.steady_ns() / 1'000'000);
  if (!untold) return;
  log::info(what, {{"device", device.key.second}, {"error", error}, {"lines_left_out", *untold}});
}

// It does not answer, or not us.
void Worker::on_failure(Device& device, const std::string& error, const std::string& detail) {
  const model::Timestamp now_ms = parts_.clock.now_ms();
  if (device.state != DeviceState::down)
    tell_state(device, "a device does not answer", detail.empty() ? error : detail);
  device.last_error = error;
  // One that comes back may have another engine id, of which libsnmp does not tell.
  if (device.secret != nullptr && device.secret->credential.version == session::Version::v3) device.starts_anew = true;
  set_state(device, DeviceState::down);
  own_records_.clear();
  append(device, device.up, "snmp.up", now_ms, 0, false);
  parts_.outbox.push(device.key.first, own_records_);
  report(device, now_ms);
  be_silent(device);
}

void Worker::be_silent(Device& device) {
  const std::int64_t now_ms = parts_.clock.steady_ns() / 1'000'000;
  if (device.backoff.is_silent() && device.backoff.next_ms() > now_ms) return;  // of another poll at the same time
  silent_.erase({device.backoff.next_ms(), &device});
  device.backoff.silent(now_ms, first_pause_ms(), options_.backoff_max_ms);
  silent_.insert({device.backoff.next_ms(), &device});
}

// A silent device is asked after the first pause, not after the one that it has come to; never later than it would be.
void Worker::ask_soon(Device& device) {
  const std::int64_t left_ms = device.backoff.next_ms() - parts_.clock.steady_ns() / 1'000'000;
  if (left_ms <= first_pause_ms() || silent_.erase({device.backoff.next_ms(), &device}) == 0) return;
  device.backoff.answered();
  be_silent(device);
}

void Worker::knock_on_silent() {
  const std::int64_t now_ms = parts_.clock.steady_ns() / 1'000'000;
  while (!silent_.empty() && silent_.begin()->first <= now_ms) {
    Device& device = *silent_.begin()->second;
    silent_.erase(silent_.begin());
    if (!device.backoff.is_silent()) continue;  // a poll that was under way has found it
    if (device.is_name) {
      resolve(device);  // it may be elsewhere now
    } else {
      knock(device);
    }
  }
}

void Worker::knock(Device& device) {
  if (device.knock.is_under_way || device.is_resolving) return;
  if (const Status opened = open(device); !opened) {
    if (opened.error().code != Code::unavailable) on_failure(device, opened.error().message);
    return;
  }
  const session::Name names[] = {session::Name(kUptimeName)};
  const session::Request request{session::Command::get, 0, 0, names};
  device.knock.is_under_way = true;
  if (const Status sent = device.session->send(request, device.knock, 1); !sent) {
    device.knock.is_under_way = false;
    on_failure(device, sent.error().message);
  }
}

void Worker::on_knock(Device& device, const session::Answer& answer) {
  using session::Outcome;
  if (answer.outcome == Outcome::answered) {
    device.backoff.answered();
    device.last_error.clear();
    return poll_all(device);
  }
  if (answer.outcome == Outcome::refused || answer.outcome == Outcome::malformed) device.starts_anew = true;
  on_failure(device, answer.outcome == Outcome::timed_out ? std::string(to_text(walk::Fault::timeout))
                                                          : "refused: " + std::string(answer.why));
}

}  // namespace varve::snmp::poller
