// SPDX-License-Identifier: Apache-2.0
// Traps: of which devices they are, and that these are polled soon.
#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "snmp/poller/worker.h"
#include "snmp/session/heard.h"

namespace varve::snmp::poller {
namespace {

using session::Trap;

constexpr std::uint64_t kNumberMost = std::numeric_limits<std::uint64_t>::max();

}  // namespace

Result<std::uint16_t> Worker::hear_traps(const session::Peer& at) {
  hears_traps_ = true;
  return loop_.hear(at,
                    [this](const session::Peer& from, std::string_view datagram) { return on_trap(from, datagram); });
}

void Worker::set_peer(Device& device, const std::optional<session::Peer>& peer) {
  leave_place(device);
  device.peer = peer;
  if (hears_traps_ && peer) places_[{session::host_bytes(*peer), device.member.credential, device.number}] = &device;
}

void Worker::leave_place(const Device& device) {
  if (device.peer) places_.erase({session::host_bytes(*device.peer), device.member.credential, device.number});
}

void Worker::set_engine(const inventory::EngineStart& engine) {
  engine_ = std::make_unique<session::Engine>(engine.id, engine.boots, parts_.clock);
}

// Anybody can send datagrams: those from where no device is are not looked at, and the others once for each credential.
std::string Worker::on_trap(const session::Peer& from, std::string_view datagram) {
  const session::HostBytes host = session::host_bytes(from);
  auto at = places_.lower_bound({host, {}, 0});
  if (at == places_.end() || at->first.host != host) {
    trap_counters_.unknown.add();
    return {};
  }
  session::Heard heard(datagram, engine_.get());
  std::vector<std::shared_ptr<const session::Secret>> secrets;  // it may look at them until it is gone
  std::optional<session::TrapMessage> found;
  std::vector<const Device*> devices;
  while (at != places_.end() && at->first.host == host) {
    const auto end = places_.upper_bound({host, at->first.credential, kNumberMost});
    std::optional<session::TrapMessage> trap;
    bool is_read = false;
    for (; at != end; ++at) {
      const std::string& tenant = at->second->key.first;
      const auto secret = credentials_.find(tenant, at->first.credential);
      // It is not this tenant's, or not to be used at this address.
      if (!secret || !credentials_.may_go_to(tenant, at->first.credential, from)) continue;
      if (!std::exchange(is_read, true)) {
        secrets.push_back(*secret);
        trap = heard.read(**secret);
      }
      if (!trap) continue;
      if (trap->kind != Trap::other) hurry(*at->second);
      devices.push_back(at->second);
    }
    if (trap) found = std::move(trap);
  }
  if (found) {
    trap_counters_.of(found->kind).add();
    take_trap(devices, from, *found);
    return {};
  }
  trap_counters_.of(heard.refusal()).add();
  log::debug("a datagram of a device is not a trap that its credential fits", {{"address", session::host_of(from)}});
  return heard.report();
}

// One that is not stored is not acknowledged, so that it comes again.
void Worker::take_trap(const std::vector<const Device*>& of, const session::Peer& from,
                       const session::TrapMessage& trap) {
  TrapDone done = [](bool /*is_stored*/) {};
  if (trap.is_inform && !trap.answer.empty()) done = acknowledgements_->after(of.size(), {from, trap.answer});
  for (const Device* const device : of) {
    if (!parts_.take_trap) {
      done(true);
    } else {
      parts_.take_trap(device->key.first, device->key.second, from, trap, done);
    }
  }
}

// Its polls are due now, or when the pause is over: a link that flaps is polled now and then, and at last. Those that
// wait for that already will see what this trap tells of.
void Worker::hurry(Device& device) {
  const model::Timestamp now_ms = parts_.clock.now_ms();
  model::Timestamp& last_ms = device.hurried_ms;
  if (last_ms > now_ms + kTrapPauseMs) last_ms = model::kTimestampMin;  // the clock was set back
  const model::Timestamp at_ms = last_ms > now_ms ? last_ms : std::max(now_ms, last_ms + kTrapPauseMs);
  bool is_new = false;
  for (const auto& job : device.jobs) is_new |= schedule_.add_once(job->number, at_ms);
  if (is_new) last_ms = at_ms;
  ask_soon(device);
}

}  // namespace varve::snmp::poller
