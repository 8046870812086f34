// SPDX-License-Identifier: Apache-2.0
#include "query/running.h"

#include <random>

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
      request_(request),
      budget_(budget),
      clock_(clock),
      stop_(cancelled != nullptr ? cancelled : &own_),
      started_ms_(clock.now_ms()),
      started_ns_(clock.steady_ns()) {
  const std::lock_guard lock(owner_.mutex_);
  const std::uint64_t number = owner_.next_++;
  id_ = id_of(number ^ owner_.seed_);
  owner_.tickets_.emplace(number, this);
}

RunningQueries::Ticket::~Ticket() {
  const Read read = this->read();
  const std::lock_guard lock(owner_.mutex_);
  owner_.read_.add(read);
  std::erase_if(owner_.tickets_, [this](const auto& entry) { return entry.second == this; });
}

std::unexpected<Error> RunningQueries::Ticket::killed_error() {
  return fail(Code::limit, "the query was killed by an operator");
}

Read RunningQueries::Ticket::read() const {
  Read read = count_.so_far();
  read.micros = (clock_.steady_ns() - started_ns_) / 1000;
  return read;
}

RunningQuery RunningQueries::Ticket::describe() const {
  RunningQuery out;
  out.id = id_;
  out.api = request_.api;
  out.text = request_.text.substr(0, kQueryTextMax);
  for (const MetricQuery& metric : request_.metrics) out.metrics.push_back(metric.metric);
  out.started_ms = started_ms_;
  out.read = read();
  out.seconds = static_cast<double>(out.read.micros) * 1e-6;
  out.bytes = budget_.used();
  return out;
}

std::vector<RunningQuery> RunningQueries::list(std::string_view tenant) const {
  std::vector<RunningQuery> out;
  const std::lock_guard lock(mutex_);
  for (const auto& [number, ticket] : tickets_) {
    if (ticket->request_.tenant == tenant) out.push_back(ticket->describe());
  }
  return out;
}

Read RunningQueries::read_in_all() const {
  const std::lock_guard lock(mutex_);
  return read_;
}

bool RunningQueries::kill(std::string_view tenant, std::string_view id) {
  const std::lock_guard lock(mutex_);
  for (const auto& [number, ticket] : tickets_) {
    if (ticket->request_.tenant != tenant || ticket->id_ != id) continue;
    ticket->killed_ = true;
    *ticket->stop_ = true;
    ticket->stop_->notify_all();
    return true;
  }
  return false;
}

}  // namespace varve::query
