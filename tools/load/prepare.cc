// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <cstring>
#include <thread>

#include "tools/load/log_encode.h"
#include "tools/load/run.h"

namespace varve::load {
namespace {

constexpr std::size_t kTimeDigits = 19;

Prepared prepare_share(const Plan& plan, std::size_t share) {
  std::vector<Host> hosts;
  for (std::uint64_t host = share; host < plan.data.hosts; host += plan.connections) {
    hosts.emplace_back(plan.data, plan.data.first_host + host);
  }
  Prepared prepared;
  const auto encoder = make_encoder(plan.wire.protocol, plan.data);
  std::size_t lines = 0;
  const auto flush = [&] {
    if (lines > 0) {
      prepared.add(request(plan.wire, encoder->take()), static_cast<std::uint32_t>(lines * kFields));
      lines = 0;
    }
  };
  Line line;
  for (std::uint64_t step = 0; step < plan.data.steps; ++step) {
    for (auto& host : hosts) {
      host.next(line);
      encoder->add(line);
      if (++lines == plan.lines_per_request) {
        flush();
      }
    }
  }
  flush();
  return prepared;
}

std::vector<Prepared> prepare_messages(const Plan& plan) {
  std::vector<Prepared> work(plan.connections);
  const auto encoder = make_log_encoder(plan.wire.protocol);
  Logs logs(plan.logs);
  LogMessage message;
  std::size_t count = 0, turn = 0;
  const auto flush = [&] {
    if (count > 0) {
      work[turn++ % plan.connections].add(request(plan.wire, encoder->take()), static_cast<std::uint32_t>(count));
      count = 0;
    }
  };
  while (logs.next(message)) {
    encoder->add(message);
    if (++count == plan.lines_per_request) {
      flush();
    }
  }
  flush();
  return work;
}

}  // namespace

void Prepared::find_times(std::size_t i) {
  const char* const end = bytes.data() + ends[i];
  const std::size_t body = bytes.find("\r\n\r\n", i == 0 ? 0 : ends[i - 1]) + 4;
  for (const char* at = bytes.data() + body;;) {
    const auto* const newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (newline == nullptr) break;
    times_.push_back(static_cast<std::size_t>(newline - bytes.data()) - kTimeDigits);
    at = newline + 1;
  }
  times_ends_.push_back(times_.size());
}

void Prepared::advance_times(std::size_t i, std::int64_t by_ms) {
  if (i == times_ends_.size()) find_times(i);
  const auto by_ns = static_cast<std::uint64_t>(by_ms) * 1'000'000;
  std::array<char, kTimeDigits> known{}, later{};  // many lines in a row have the same time
  constexpr std::size_t kAhead = 16;
  for (std::size_t t = i == 0 ? 0 : times_ends_[i - 1]; t < times_ends_[i]; ++t) {
    if (t + kAhead < times_.size()) __builtin_prefetch(bytes.data() + times_[t + kAhead]);
    char* const time = bytes.data() + times_[t];
    if (std::memcmp(time, known.data(), kTimeDigits) != 0) {
      std::memcpy(known.data(), time, kTimeDigits);
      std::uint64_t time_ns = 0;
      std::from_chars(time, time + kTimeDigits, time_ns);
      std::to_chars(later.data(), later.data() + kTimeDigits, time_ns + by_ns);
    }
    std::memcpy(time, later.data(), kTimeDigits);
  }
}

std::vector<Prepared> prepare(const Plan& plan) {
  if (takes_messages(plan.wire.protocol)) {
    return prepare_messages(plan);
  }
  std::vector<Prepared> work(plan.connections);
  const auto threads = std::min<std::size_t>(plan.connections, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::jthread> workers;
  for (std::size_t t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      for (std::size_t share = t; share < plan.connections; share += threads) {
        work[share] = prepare_share(plan, share);
      }
    });
  }
  workers.clear();  // joins
  return work;
}

}  // namespace varve::load
