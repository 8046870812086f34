// SPDX-License-Identifier: Apache-2.0
// Traps: of which devices they are, and that these are polled soon.
#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "snmp/poller/worker.h"

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

// Anybody can send datagrams: those from where no device is are not looked at, and the others once for each credential.
std::string Worker::on_trap(const session::Peer& from, std::string_view datagram) {
  const session::HostBytes host = session::host_bytes(from);
  auto at = places_.lower_bound({host, {}, 0});
  if (at == places_.end() || at->first.host != host) {
    trap_counters_.unknown.add();
    return {};
  }
  std::optional<session::TrapMessage> heard;
  bool is_taken = true;
  while (at != places_.end() && at->first.host == host) {
    const auto end = places_.upper_bound({host, at->first.credential, kNumberMost});
    std::optional<session::TrapMessage> trap;
    bool is_read = false;
    for (; at != end; ++at) {
      const auto& [tenant, device] = at->second->key;
      const auto secret = credentials_.find(tenant, at->first.credential);
      if (!secret) continue;  // it is not this tenant's
      if (!std::exchange(is_read, true)) trap = session::read_trap(datagram, **secret);
      if (!trap) continue;
      if (trap->kind != Trap::other) hurry(*at->second);
      if (parts_.take_trap && !parts_.take_trap(tenant, device, from, *trap)) is_taken = false;
    }
    if (trap) heard = std::move(trap);
  }
  if (heard) {
    trap_counters_.of(heard->kind).add();
    return is_taken ? std::move(heard->answer) : std::string();  // else it comes again
  }
  trap_counters_.bad.add();
  log::debug("a datagram of a device is not a trap that its credential fits", {{"address", session::host_of(from)}});
  return {};
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
