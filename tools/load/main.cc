// SPDX-License-Identifier: Apache-2.0
// varve-load: generate, send, measure, read back.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <numeric>
#include <string_view>
#include <vector>

#include "tools/load/options.h"
#include "tools/load/verify.h"

namespace {

using namespace varve::load;

int run_queries(const Options& options) {
  std::vector<Prepared> work(options.plan.connections, read_query_file(options.query_file, options.plan.wire));
  SendOptions how;
  how.seconds = options.plan.seconds;
  how.repeat = options.repeat;
  const auto result = send(options.address, work, how);
  fmt::print("{}\n", result.json());
  return result.failed == 0 ? 0 : 1;
}

bool write_all(const std::vector<Prepared>& work, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  for (const auto& share : work) {
    file << share.bytes;
  }
  return static_cast<bool>(file.flush());
}

int run_load(const Options& options) {
  auto work = prepare(options.plan);
  std::size_t bytes = 0;
  std::size_t requests = 0;
  std::uint64_t count = 0;
  for (const auto& share : work) {
    bytes += share.bytes.size();
    requests += share.count();
    count = std::accumulate(share.samples.begin(), share.samples.end(), count);
  }
  fmt::print(stderr, "prepared {} samples in {} requests, {:.1f} MB\n", count, requests,
             static_cast<double>(bytes) / 1e6);
  if (options.dry) {
    return options.dry_file.empty() || write_all(work, options.dry_file) ? 0 : 1;
  }
  SendOptions how;
  how.seconds = options.plan.seconds;
  how.repeat = options.laps;
  how.lap_ms = static_cast<std::int64_t>(options.plan.data.steps) * options.plan.data.step_ms;
  how.samples_per_s = options.samples_per_s;
  how.stream = is_stream(options.plan.wire.protocol);
  const auto result = send(options.address, work, how);
  fmt::print("{}\n", result.json());
  std::fflush(stdout);
  if (result.failed > 0) {
    fmt::print(stderr, "{} requests failed, the first: {}\n", result.failed, result.first_error);
    return 1;
  }
  if (options.verify) {
    const auto verdict = verify(options.address, options.plan, options.verify_hosts);
    if (!verdict.fault.empty()) {
      fmt::print(stderr, "not as sent: {}\n", verdict.fault);
      return 1;
    }
    fmt::print(stderr, "read back: {} samples counted, {} compared\n", verdict.counted, verdict.compared);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  for (const auto argument : arguments) {
    if (argument == "--help" || argument == "-h") {
      fmt::print("{}", usage());
      return 0;
    }
  }
  try {
    const auto options = parse_options(arguments);
    return options.query_file.empty() ? run_load(options) : run_queries(options);
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "varve-load: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "varve-load: {}\n", error.what());
    return 1;
  }
}
