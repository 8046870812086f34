// SPDX-License-Identifier: Apache-2.0
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "snmp/session/library.h"
#include "snmp/session/net_session.h"

namespace varve::snmp::session {
namespace {

constexpr std::uint64_t kWake = ~std::uint64_t{0}, kTraps = kWake - 1;  // beyond any slot and generation
constexpr int kEventsMax = 256;
constexpr std::int64_t kNsPerMs = 1'000'000;
// libsnmp compares its own clock, which is cut to microseconds.
constexpr std::int64_t kSlackNs = kNsPerMs;

}  // namespace

Result<std::unique_ptr<Loop>> Loop::make(const LoopOptions& options, const Clock& clock) {
  init_library();
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  const int event = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  wanted.data.u64 = kWake;
  if (epoll < 0 || event < 0 || ::epoll_ctl(epoll, EPOLL_CTL_ADD, event, &wanted) != 0) {
    const std::string why = std::strerror(errno);
    if (epoll >= 0) ::close(epoll);
    if (event >= 0) ::close(event);
    return fail(Code::io, "no event loop: " + why);
  }
  return std::make_unique<NetLoop>(options, clock, epoll, event);
}

NetLoop::NetLoop(const LoopOptions& options, const Clock& clock, int epoll, int event)
    : options_(options), clock_(clock), epoll_(epoll), event_(event) {}

NetLoop::~NetLoop() {
  check(sessions() == 0, "sessions are gone before their loop");
  ::close(epoll_);
  ::close(event_);
}

Result<std::unique_ptr<Session>> NetLoop::open(Target target) {
  auto session = std::make_unique<NetSession>(*this, std::move(target));
  VARVE_RETURN_IF_ERROR(session->open());
  return session;
}

void NetLoop::add(NetSession& session) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  session.slot_ = free_.back();
  free_.pop_back();
  Slot& slot = slots_[session.slot_];
  slot.session = &session;
  session.generation_ = ++slot.generation;
}

void NetLoop::remove(NetSession& session) {
  slots_[session.slot_].session = nullptr;
  free_.push_back(session.slot_);
}

Status NetLoop::watch(const NetSession& session, int descriptor) {
  return watch(std::uint64_t{session.generation_} << 32 | session.slot_, descriptor);
}

Status NetLoop::watch(std::uint64_t of, int descriptor) {
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  wanted.data.u64 = of;
  if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &wanted) == 0) return {};
  return fail(Code::io, "a socket cannot be watched: " + std::string(std::strerror(errno)));
}

Result<std::uint16_t> NetLoop::hear(const Peer& at, Ear ear) {
  VARVE_ASSIGN_OR_RETURN(traps_, TrapSocket::open(at, std::move(ear)));
  VARVE_RETURN_IF_ERROR(watch(kTraps, traps_->descriptor()));
  return traps_->port();
}

void NetLoop::say(const Peer& to, std::string_view datagram) {
  if (traps_ != nullptr) traps_->send(to, datagram);
}

NetSession* NetLoop::find(std::uint32_t slot, std::uint32_t generation) const {
  return slot < slots_.size() && slots_[slot].generation == generation ? slots_[slot].session : nullptr;
}

void NetLoop::expire_later(const Ticket& ticket) {
  deadlines_.push_back({clock_.steady_ns() + options_.timeout_ms * kNsPerMs + kSlackNs, ticket});
}

void NetLoop::turn(std::int64_t wait_ms) {
  std::int64_t wait = wait_ms;
  if (!deadlines_.empty()) {
    const std::int64_t left_ns = deadlines_.front().at_ns - clock_.steady_ns();
    wait = std::clamp<std::int64_t>((left_ns + kNsPerMs - 1) / kNsPerMs, 0, wait);
  }
  std::array<epoll_event, kEventsMax> events;
  const int count = ::epoll_wait(epoll_, events.data(), kEventsMax, static_cast<int>(wait));
  for (int i = 0; i < count; ++i) {
    const std::uint64_t of = events[static_cast<std::size_t>(i)].data.u64;
    if (of == kWake) {
      std::uint64_t ignored = 0;
      static_cast<void>(::read(event_, &ignored, sizeof ignored));
    } else if (of == kTraps) {
      traps_->on_readable();
    } else if (NetSession* const session = find(static_cast<std::uint32_t>(of), static_cast<std::uint32_t>(of >> 32))) {
      session->on_readable();
    }
  }
  expire();
}

void NetLoop::expire() {
  if (deadlines_.empty()) return;
  const std::int64_t now_ns = clock_.steady_ns();
  while (!deadlines_.empty() && deadlines_.front().at_ns <= now_ns) {
    const Ticket ticket = deadlines_.front().ticket;
    deadlines_.pop_front();
    if (NetSession* const session = find(ticket.slot, ticket.generation)) session->on_deadline(ticket);
  }
}

void NetLoop::wake() {
  const std::uint64_t one = 1;
  static_cast<void>(::write(event_, &one, sizeof one));
}

}  // namespace varve::snmp::session
