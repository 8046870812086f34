// SPDX-License-Identifier: Apache-2.0
#include "query/running.h"

#include <algorithm>
#include <utility>

#include "base/hex.h"
#include "base/random.h"

namespace varve::query {

namespace {

// Distinct numbers give distinct ids: each step can be undone.
std::string id_of(std::uint64_t number) {
  number ^= number >> 31;
  number *= 0x9e3779b97f4a7c15;
  number ^= number >> 29;
  number *= 0xd6e8feb86659fd93;
  number ^= number >> 32;
  return hex_text(number, 16);
}

}  // namespace

RunningQueries::RunningQueries() : seed_(random_number()) {}

RunningQueries::Ticket::Ticket(RunningQueries& owner, const Request& request, const Budget& budget, const Clock& clock,
                               std::atomic<bool>* cancelled)
    : owner_(owner),
      budget_(budget),
      clock_(clock),
      tenant_(request.tenant),
      api_(request.api),
      text_(request.text, 0, kQueryTextMax),
      stop_(cancelled != nullptr ? cancelled : &own_),
      started_ms_(clock.now_ms()),
      started_ns_(clock.steady_ns()) {
  for (const MetricQuery& metric : request.metrics) metrics_.push_back(text_of(metric.metric));
  const MutexLock lock(owner_.mutex_);
  number_ = owner_.next_++;
  id_ = id_of(number_ ^ owner_.seed_);
  owner_.entries_.emplace(number_, Entry{.ticket = this, .stop = stop_, .on_kill = {}, .answered = {}});
}

RunningQueries::Ticket::~Ticket() {
  answered();
  const MutexLock lock(owner_.mutex_);
  owner_.entries_.erase(number_);
}

void RunningQueries::Ticket::answered() {
  const MutexLock lock(owner_.mutex_);
  Entry& own = entry();
  if (own.answered) return;
  own.answered = so_far();
  owner_.read_.add(*own.answered);
  own.stop = nullptr;
}

bool RunningQueries::Ticket::on_kill(std::function<void()> call) {
  const MutexLock lock(owner_.mutex_);
  if (killed_) return false;
  entry().on_kill = std::move(call);
  return true;
}

std::unexpected<Error> RunningQueries::Ticket::killed_error() {
  return fail(Code::limit, "the query was killed by an operator");
}

Read RunningQueries::Ticket::read() const {
  const MutexLock lock(owner_.mutex_);
  const Entry& own = entry();
  return own.answered ? *own.answered : so_far();
}

Read RunningQueries::Ticket::so_far() const {
  Read read = count_.so_far();
  read.micros = (clock_.steady_ns() - started_ns_) / 1000;
  return read;
}

RunningQuery RunningQueries::describe(const Entry& entry) {
  const Ticket& ticket = *entry.ticket;
  RunningQuery out;
  out.id = ticket.id_;
  out.api = ticket.api_;
  out.text = ticket.text_;
  out.metrics = ticket.metrics_;
  out.started_ms = ticket.started_ms_;
  out.read = entry.answered ? *entry.answered : ticket.so_far();
  out.seconds = static_cast<double>(ticket.clock_.steady_ns() - ticket.started_ns_) * 1e-9;
  out.bytes = ticket.budget_.used();
  return out;
}

std::vector<RunningQuery> RunningQueries::list(std::string_view tenant) const {
  std::vector<RunningQuery> out;
  const MutexLock lock(mutex_);
  for (const auto& [number, entry] : entries_) {
    if (entry.ticket->tenant_ == tenant) out.push_back(describe(entry));
  }
  return out;
}

Read RunningQueries::read_in_all() const {
  const MutexLock lock(mutex_);
  return read_;
}

bool RunningQueries::kill(std::string_view tenant, std::string_view id) {
  std::function<void()> call;
  {
    const MutexLock lock(mutex_);
    const auto found = std::ranges::find_if(entries_, [&](const auto& entry) {
      const Ticket& ticket = *entry.second.ticket;
      return ticket.tenant_ == tenant && ticket.id_ == id;
    });
    if (found == entries_.end()) return false;
    Entry& entry = found->second;
    entry.ticket->killed_ = true;
    if (entry.stop != nullptr) {
      *entry.stop = true;
      entry.stop->notify_all();
    }
    call = std::exchange(entry.on_kill, nullptr);
  }
  if (call) call();  // may end the ticket
  return true;
}

}  // namespace varve::query
