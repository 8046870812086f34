// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <cstring>
#include <thread>

#include "tools/load/log_encode.h"
#include "tools/load/run.h"

namespace varve::load {
namespace {

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

void advance_times(std::span<char> request, std::int64_t by_ms) {
  constexpr std::size_t kDigits = 19;
  const auto by_ns = static_cast<std::uint64_t>(by_ms) * 1'000'000;
  std::array<char, kDigits> known{}, later{};  // many lines in a row have the same time
  char* const end = request.data() + request.size();
  char* at = request.data() + std::string_view(request.data(), request.size()).find("\r\n\r\n") + 4;
  while (auto* const newline = static_cast<char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)))) {
    char* const time = newline - kDigits;
    if (std::memcmp(time, known.data(), kDigits) != 0) {
      std::memcpy(known.data(), time, kDigits);
      std::uint64_t time_ns = 0;
      std::from_chars(time, newline, time_ns);
      std::to_chars(later.data(), later.data() + kDigits, time_ns + by_ns);
    }
    std::memcpy(time, later.data(), kDigits);
    at = newline + 1;
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
