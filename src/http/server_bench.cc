// SPDX-License-Identifier: Apache-2.0
// One-line requests over keep-alive connections: what the server adds to a write. The client's threads take CPU too, so
// look at `server_us`: CPU time of the I/O threads for each request.
#include <benchmark/benchmark.h>
#include <time.h>

#include <atomic>

#include "http/server.h"
#include "net/test_client.h"

namespace varve::http {
namespace {

std::int64_t thread_cpu_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

void BM_OneLine(benchmark::State& state) {
  const auto pipelined = static_cast<std::size_t>(state.range(0));
  Metrics metrics;
  Gate gate;
  std::atomic<std::int64_t> cpu_ns{0};
  Router router;
  router.add({Method::post, "/write", [&](const Request&, const Responder& answer) {
                cpu_ns.store(thread_cpu_ns(), std::memory_order_relaxed);
                answer(Response::empty(204));
              }});
  Server server({.listen = "127.0.0.1:0", .threads = 1}, Router(), gate, metrics);
  if (!server.start()) return state.SkipWithError("cannot listen");
  server.open(std::move(router));
  net::TestClient client(server.port());
  const std::string one =
      "POST /write?db=benchmark&precision=ms HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: bench/1.0\r\n"
      "Content-Type: text/plain\r\nContent-Length: 60\r\n\r\n" +
      std::string("cpu,host=host_0,region=eu usage_user=58i 1451606400000000000\n").substr(0, 60);
  std::string request;
  for (std::size_t i = 0; i < pipelined; ++i) request += one;
  client.send(one);
  const std::size_t answer = client.read_to("\r\n\r\n").size();
  const std::int64_t begin = cpu_ns;
  std::size_t requests = 0;
  for (auto _ : state) {
    client.send(request);
    if (client.read(answer * pipelined).size() != answer * pipelined) state.SkipWithError("the connection ended");
    requests += pipelined;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(requests));
  state.counters["server_us"] = static_cast<double>(cpu_ns - begin) / 1e3 / static_cast<double>(requests);
}
BENCHMARK(BM_OneLine)->Arg(1)->Arg(32)->UseRealTime();

}  // namespace
}  // namespace varve::http
