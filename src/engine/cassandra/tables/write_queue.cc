// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/write_queue.h"

#include <deque>
#include <utility>

#include "base/check.h"
#include "base/mutex.h"
#include "engine/cassandra/tables/adaptive_limit.h"

namespace varve::engine::cassandra {
namespace {

struct Call {
  WriteQueue::Done done;
  std::size_t left;  // units
  Status status;     // the first error
};

struct Waiting {
  WriteUnit unit;
  std::shared_ptr<Call> call;
  std::int64_t since_ns;
};

bool slows_down(const Status& status) {
  return !status && (status.error().code == Code::timeout || status.error().code == Code::unavailable);
}

}  // namespace

struct WriteQueue::State : std::enable_shared_from_this<State> {
  State(const Options& wanted, const Clock& time, Send sender)
      : options(wanted), clock(time), send(std::move(sender)), limit(wanted.in_flight) {}

  const Options options;
  const Clock& clock;
  const Send send;

  mutable Mutex mutex;
  Condition idle;
  std::deque<Waiting> queue VARVE_GUARDED_BY(mutex);
  std::size_t in_flight VARVE_GUARDED_BY(mutex) = 0;
  std::size_t bytes VARVE_GUARDED_BY(mutex) = 0;
  std::uint64_t refused VARVE_GUARDED_BY(mutex) = 0;
  std::uint64_t slow VARVE_GUARDED_BY(mutex) = 0;
  AdaptiveLimit limit VARVE_GUARDED_BY(mutex);
  bool closed VARVE_GUARDED_BY(mutex) = false;

  // Empty, or why not.
  Status admit(std::size_t more) VARVE_REQUIRES(mutex) {
    if (closed) return fail(Code::unavailable, "Cassandra is written to no more: varve is stopping");
    if (bytes == 0 || bytes + more <= options.bytes_max) return {};
    ++refused;
    return fail(Code::unavailable, "Cassandra is slower than what comes in: " + std::to_string(bytes >> 20U) +
                                       " MiB wait to be written; try again later, or give it more nodes");
  }

  // A unit has ended. What it held is let go before its sender hears of it, who may come with more; only then it is
  // no longer under way, so that nobody hears of anything after the end of the queue.
  void ended(const Waiting& what, Status status) {
    Done done;
    {
      const MutexLock lock(mutex);
      check(bytes >= what.unit.bytes && what.call->left > 0, "a unit ends once");
      bytes -= what.unit.bytes;
      if (!status && what.call->status) what.call->status = std::move(status);
      if (--what.call->left == 0) done = std::move(what.call->done);
    }
    if (done) done(std::move(what.call->status));
  }

  void give_up(const Waiting& what) {
    ended(what, fail(Code::unavailable, "Cassandra is slower than what comes in: it waited to be written for " +
                                            std::to_string(options.wait_max_ns / 1'000'000'000) +
                                            " s; try again later, or give it more nodes"));
    const MutexLock lock(mutex);
    check(in_flight > 0, "what is given up was under way");
    if (--in_flight == 0) idle.notify_all();
  }

  void answered(const Waiting& what, std::int64_t sent_ns, Status status) {
    const std::int64_t now_ns = clock.steady_ns();
    const bool too_long = slows_down(status) || now_ns - sent_ns > options.slow_ns;
    ended(what, std::move(status));
    {
      const MutexLock lock(mutex);
      check(in_flight > 0, "what is answered was under way");
      slow += too_long;
      if (too_long)
        limit.took_too_long(sent_ns, now_ns);
      else
        limit.went_well(in_flight >= limit.now());
      if (--in_flight == 0) idle.notify_all();
    }
    pump();
  }

  // What is to be sent next, and now under way.
  std::shared_ptr<Waiting> next() {
    const MutexLock lock(mutex);
    if (queue.empty() || in_flight >= limit.now()) return nullptr;
    auto taken = std::make_shared<Waiting>(std::move(queue.front()));
    queue.pop_front();
    ++in_flight;
    return taken;
  }

  // Sends what may be sent. An answer that comes before send() has returned pumps no deeper: this loop goes on.
  void pump() {
    static thread_local const State* pumping = nullptr;
    if (pumping == this) return;
    const State* const outer = std::exchange(pumping, this);
    while (const auto what = next()) {
      const auto self = shared_from_this();
      const std::int64_t sent_ns = clock.steady_ns();
      if (sent_ns - what->since_ns > options.wait_max_ns) {
        give_up(*what);
        continue;
      }
      send(what->unit.rows,
           [self, what, sent_ns](Status status) { self->answered(*what, sent_ns, std::move(status)); });
    }
    pumping = outer;
  }
};

WriteQueue::WriteQueue(const Options& options, const Clock& clock, Send send)
    : state_(std::make_shared<State>(options, clock, std::move(send))) {}

WriteQueue::~WriteQueue() {
  std::deque<Waiting> left;
  {
    const MutexLock lock(state_->mutex);
    state_->closed = true;
    left.swap(state_->queue);
  }
  for (const Waiting& what : left) {
    state_->ended(what, fail(Code::unavailable, "it was not written: varve is stopping"));
  }
  const MutexLock lock(state_->mutex);
  while (state_->in_flight > 0) state_->idle.wait(state_->mutex);
}

void WriteQueue::submit(std::vector<WriteUnit> units, Done done) {
  if (units.empty()) {
    done({});
    return;
  }
  std::size_t bytes = 0;
  for (const WriteUnit& unit : units) bytes += unit.bytes;
  Status admitted;
  const std::int64_t now_ns = state_->clock.steady_ns();
  {
    const MutexLock lock(state_->mutex);
    admitted = state_->admit(bytes);
    if (admitted) {
      const auto call = std::make_shared<Call>(std::move(done), units.size(), Status());
      state_->bytes += bytes;
      for (WriteUnit& unit : units) state_->queue.push_back({std::move(unit), call, now_ns});
    }
  }
  if (!admitted) {
    done(std::move(admitted));
    return;
  }
  state_->pump();
}

WriteQueue::Load WriteQueue::load() const {
  const MutexLock lock(state_->mutex);
  return {state_->in_flight, state_->queue.size(),     state_->bytes, state_->limit.now(), state_->refused,
          state_->slow,      state_->options.bytes_max};
}

}  // namespace varve::engine::cassandra
