// SPDX-License-Identifier: Apache-2.0
// Prepares what each connection will send, then sends it and takes the time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tools/load/connection.h"
#include "tools/load/encode.h"
#include "tools/load/logs.h"

namespace varve::load {

// Whole requests one behind the other in one buffer.
struct Prepared {
  std::string bytes;
  std::vector<std::size_t> ends;       // of each request in `bytes`
  std::vector<std::uint32_t> samples;  // in each request

  [[nodiscard]] std::size_t count() const { return ends.size(); }
  [[nodiscard]] std::span<char> at(std::size_t i) {
    const auto begin = i == 0 ? 0 : ends[i - 1];
    return std::span(bytes).subspan(begin, ends[i] - begin);
  }
  void add(std::string_view request, std::uint32_t sample_count) {
    bytes += request;
    ends.push_back(bytes.size());
    samples.push_back(sample_count);
  }
  // Makes an Influx request one of later: every line's time, of 19 digits, is moved on in place. It is called for one
  // request after the other, again and again.
  void advance_times(std::size_t i, std::int64_t by_ms);

 private:
  void find_times(std::size_t i);

  std::vector<std::size_t> times_;       // where the digits begin in `bytes`, of all requests that were advanced
  std::vector<std::size_t> times_ends_;  // of each request in times_
};

struct Plan {
  DataSet data;
  LogSet logs;  // instead of `data` if the protocol takes messages
  Wire wire;
  std::size_t lines_per_request = 10'000;
  std::size_t connections = 2;
  double seconds = 0;  // stop after so long; 0: when everything is sent
};

// One element a connection. Hosts are dealt out to connections, so each series comes in time order; messages are dealt
// out by requests. A message counts as a sample.
std::vector<Prepared> prepare(const Plan& plan);

struct Result {
  std::uint64_t samples = 0;   // in requests that were accepted
  std::uint64_t requests = 0;  // accepted
  std::uint64_t failed = 0;    // answered with an error that is not "later", or cut off
  std::uint64_t retries = 0;   // 429 and 503
  std::uint64_t bytes = 0;     // sent, in accepted requests
  double seconds = 0;
  double client_cpu_s = 0;
  std::uint64_t longest_gap_us = 0;         // without any accepted request
  std::vector<std::uint32_t> latencies_us;  // sorted
  std::string first_error;

  [[nodiscard]] std::uint32_t percentile_us(double share) const;
  [[nodiscard]] std::string json() const;
};

struct SendOptions {
  double seconds = 0;
  std::size_t threads = 0;   // 0: one a connection up to 8 connections, else 2
  std::size_t repeat = 1;    // send everything so often
  std::int64_t lap_ms = 0;   // Prepared::advance_times() by so much from one repetition to the next
  double samples_per_s = 0;  // hold this rate, all connections together (at most 8 then); 0: as fast as answers come
  bool stream = false;       // see is_stream()
};

// Sends each connection's requests in order; `work` is changed where there are laps. A 429 or 503 is tried again after
// what Retry-After says (at most a second each time, 60 times); any other status that is not 2xx counts as failed and
// is left.
Result send(const Address& address, std::vector<Prepared>& work, const SendOptions& options);

}  // namespace varve::load
