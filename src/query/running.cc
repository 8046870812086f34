// SPDX-License-Identifier: Apache-2.0
#include "query/running.h"

#include <algorithm>
#include <random>
#include <utility>

namespace varve::query {

namespace {

std::uint64_t random_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

// Distinct numbers give distinct ids: each step can be undone.
std::string id_of(std::uint64_t number) {
  number ^= number >> 31;
  number *= 0x9e3779b97f4a7c15;
  number ^= number >> 29;
  number *= 0xd6e8feb86659fd93;
  number ^= number >> 32;
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id(16, '0');
  for (std::size_t i = id.size(); i > 0; number >>= 4) id[--i] = kDigits[number & 15];
  return id;
}

}  // namespace

RunningQueries::RunningQueries() : seed_(random_seed()) {}

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
  const std::lock_guard lock(owner_.mutex_);
  const std::uint64_t number = owner_.next_++;
  id_ = id_of(number ^ owner_.seed_);
  owner_.tickets_.emplace(number, this);
}

RunningQueries::Ticket::~Ticket() {
  answered();
  const std::lock_guard lock(owner_.mutex_);
  std::erase_if(owner_.tickets_, [this](const auto& entry) { return entry.second == this; });
}

void RunningQueries::Ticket::answered() {
  const std::lock_guard lock(owner_.mutex_);
  if (answered_) return;
  answered_ = so_far();
  owner_.read_.add(*answered_);
  stop_ = &own_;
}

bool RunningQueries::Ticket::on_kill(std::function<void()> call) {
  const std::lock_guard lock(owner_.mutex_);
  if (killed_) return false;
  on_kill_ = std::move(call);
  return true;
}

std::unexpected<Error> RunningQueries::Ticket::killed_error() {
  return fail(Code::limit, "the query was killed by an operator");
}

Read RunningQueries::Ticket::read() const {
  const std::lock_guard lock(owner_.mutex_);
  return answered_ ? *answered_ : so_far();
}

Read RunningQueries::Ticket::so_far() const {
  Read read = count_.so_far();
  read.micros = (clock_.steady_ns() - started_ns_) / 1000;
  return read;
}

RunningQuery RunningQueries::Ticket::describe() const {
  RunningQuery out;
  out.id = id_;
  out.api = api_;
  out.text = text_;
  out.metrics = metrics_;
  out.started_ms = started_ms_;
  out.read = answered_ ? *answered_ : so_far();
  out.seconds = static_cast<double>(clock_.steady_ns() - started_ns_) * 1e-9;
  out.bytes = budget_.used();
  return out;
}

std::vector<RunningQuery> RunningQueries::list(std::string_view tenant) const {
  std::vector<RunningQuery> out;
  const std::lock_guard lock(mutex_);
  for (const auto& [number, ticket] : tickets_) {
    if (ticket->tenant_ == tenant) out.push_back(ticket->describe());
  }
  return out;
}

Read RunningQueries::read_in_all() const {
  const std::lock_guard lock(mutex_);
  return read_;
}

bool RunningQueries::kill(std::string_view tenant, std::string_view id) {
  std::function<void()> call;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(
        tickets_, [&](const auto& entry) { return entry.second->tenant_ == tenant && entry.second->id_ == id; });
    if (found == tickets_.end()) return false;
    Ticket& ticket = *found->second;
    ticket.killed_ = true;
    *ticket.stop_ = true;
    ticket.stop_->notify_all();
    call = std::exchange(ticket.on_kill_, nullptr);
  }
  if (call) call();  // may end the ticket
  return true;
}

}  // namespace varve::query
