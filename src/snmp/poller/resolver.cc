// SPDX-License-Identifier: Apache-2.0
#include "snmp/poller/resolver.h"

#include <deque>
#include <thread>
#include <utility>

#include "base/mutex.h"

namespace varve::snmp::poller {
namespace {

constexpr int kLookUpsAtOnce = 8;  // each may wait for a resolver that is silent
constexpr std::size_t kNamesMax = 20'000;

}  // namespace

struct Resolver::State {
  struct Wanted {
    inventory::HostPort at;
    Done done;
  };
  explicit State(LookUp l) : look_up(std::move(l)) {}

  const LookUp look_up;
  Mutex mutex;
  Condition changed;
  bool is_over VARVE_GUARDED_BY(mutex) = false;
  int threads VARVE_GUARDED_BY(mutex) = 0;
  int idle VARVE_GUARDED_BY(mutex) = 0;
  std::deque<Wanted> wanted VARVE_GUARDED_BY(mutex);
};

Resolver::Resolver(LookUp look_up) : state_(std::make_shared<State>(std::move(look_up))) {}

Resolver::~Resolver() {
  {
    const MutexLock lock(state_->mutex);
    state_->is_over = true;
    state_->wanted.clear();
  }
  state_->changed.notify_all();
}

bool Resolver::post(inventory::HostPort at, Done done) {
  {
    const MutexLock lock(state_->mutex);
    if (state_->wanted.size() >= kNamesMax) return false;
    state_->wanted.push_back({std::move(at), std::move(done)});
    const bool is_enough = state_->idle >= static_cast<int>(state_->wanted.size());
    if (!is_enough && state_->threads < kLookUpsAtOnce) {
      ++state_->threads;
      std::thread([state = state_] { work(state); }).detach();
    }
  }
  state_->changed.notify_one();
  return true;
}

void Resolver::work(const std::shared_ptr<State>& state) {
  for (;;) {
    State::Wanted next;
    {
      const MutexLock lock(state->mutex);
      ++state->idle;
      while (state->wanted.empty() && !state->is_over) state->changed.wait(state->mutex);
      --state->idle;
      if (state->is_over) return;
      next = std::move(state->wanted.front());
      state->wanted.pop_front();
    }
    const auto peer = state->look_up(next.at);
    const MutexLock lock(state->mutex);  // so that it is not called while the resolver goes
    if (state->is_over) return;
    next.done(peer);
  }
}

}  // namespace varve::snmp::poller
