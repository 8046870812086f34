// SPDX-License-Identifier: Apache-2.0
// 5,000 messages a body, as log shippers send them (450 bytes and ten keys each); bytes/s of JSON on one core.
#include <benchmark/benchmark.h>

#include <random>
#include <string>

#include "protocol/messages/ndjson.h"

namespace varve::protocol::messages {
namespace {

constexpr int kMessages = 5000;

class Site {
 public:
  // Lines of a web server, an application's JSON in a text, and Contrail's XML with objects.
  std::string line() {
    const auto kind = random_() % 4;
    const std::string host = std::to_string(10 + random_() % 30);
    std::string out = R"({"time":)" + std::to_string(time_ += 1 + random_() % 90'000) + R"(,"source":"web)" + host;
    if (kind == 0) return out + access(host);
    if (kind == 1) return out + application(host);
    return out + contrail(host);
  }

 private:
  std::string number(unsigned most) { return std::to_string(random_() % most); }
  std::string hex(int digits) {
    std::string out;
    while (digits-- > 0) out += "0123456789abcdef"[random_() % 16];
    return out;
  }
  static std::string common(const std::string& host) {
    return R"("pid":4)" + host + R"(7,"ip":"10.2.0.)" + host + R"(",)";
  }

  std::string access(const std::string& host) {
    return R"(","module":"nginx","type":"Access","kind":10,"level":6,"category":"local7",)" + common(host) +
           R"("text":"93.17.)" + number(250) + R"(.7 - alice \"GET /api/v2/orders/)" + number(100000) +
           R"(?page=3 HTTP/1.1\" 200 )" + number(90000) +
           R"( \"-\" \"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0\" rt=0.)" +
           number(999) + " req=" + hex(32) + R"("})";
  }
  std::string application(const std::string& host) {
    return R"(","module":"orders","type":"AppLog","kind":10,"level":6,"category":"app",)" + common(host) +
           R"("objects":["ServiceTable:orders:7"],"text":"{\"level\":\"info\",\"service\":\"orders\",\"event\":\"request completed\",\"user_id\":)" +
           number(2000000) + R"(,\"path\":\"/api/v2/orders/)" + number(100000) +
           R"(\",\"status\":200,\"duration_ms\":)" + number(3000) + R"(.5,\"trace_id\":\")" + hex(32) +
           R"(\",\"span_id\":\")" + hex(16) + R"(\",\"pod\":\"orders-7d9f8b6c5-3\"}"})";
  }
  std::string contrail(const std::string& host) {
    const std::string vn = "default-domain:proj-" + number(40) + ":vn-" + number(300);
    return R"(","module":"contrail-vrouter-agent","type":"VnObjectLog","kind":7,"level":6,"category":"default",)"
           R"("node_type":"Compute","instance":"0","sequence":)" +
           number(100000) + "," + common(host) + R"("objects":["ObjectVNTable:)" + vn +
           R"("],"text":"<VnObjectLog type=\"sandesh\"><name type=\"string\" identifier=\"1\" key=\"ObjectVNTable\">)" +
           vn + R"(</name><action type=\"string\" identifier=\"3\">Add</action><id type=\"u32\">)" + number(4000) +
           R"(</id></VnObjectLog>"})";
  }

  std::mt19937 random_{17};
  std::int64_t time_ = 1'700'000'000'000'000;
};

std::string lines() {
  Site site;
  std::string body;
  for (int i = 0; i < kMessages; ++i) body += site.line() + "\n";
  return body;
}

std::string array() {
  Site site;
  std::string body = "[";
  for (int i = 0; i < kMessages; ++i) body += (i > 0 ? "," : "") + site.line();
  return body + "]";
}

// Texts without escapes and free fields, as of a structured logger.
std::string fields() {
  std::mt19937 random(7);
  std::string body;
  for (int i = 0; i < kMessages; ++i) {
    body +=
        R"({"time":"2026-11-24T13:19:27.)" + std::to_string(100000 + i) +
        R"(Z","level":"info","source":"web11","module":"cart",)" +
        R"("text":"request completed in time after a second try of the database","user_id":)" +
        std::to_string(random() % 100000) +
        R"(,"path":"/api/v2/cart","status":200,"duration_ms":17.25,"cached":false,"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736",)" +
        R"("span_id":"00f067aa0ba902b7","pod":"cart-7d9f8b6c5-3","region":"eu-central-1","user":null,"version":"1.27.3","retries":1})" +
        "\n";
  }
  return body;
}

// Few messages of as many fields as there may be, each of a new name.
std::string wide() {
  std::string body;
  for (int i = 0; i < kMessages / 50; ++i) {
    body += R"({"text":"x")";
    for (int field = 0; field < 999; ++field)
      body += R"(,"request.field_)" + std::to_string(field) + R"(":"some text")";
    body += "}\n";
  }
  return body;
}

void run_messages(benchmark::State& state, const std::string& body, const Options& options,
                  std::size_t messages = kMessages) {
  const std::string bytes = body + std::string(kBodyPadding, ' ');
  message::Batch batch;
  for (auto _ : state) {
    batch.clear();
    if (parse_messages({bytes.data(), body.size()}, options, batch).accepted != messages)
      state.SkipWithError("rejected");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(body.size()));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(messages));
}

void BM_MessageLines(benchmark::State& state) { run_messages(state, lines(), {}); }
void BM_MessageLinesGeneral(benchmark::State& state) {
  run_messages(state, lines(), {.limits = {}, .way = Way::general});
}
void BM_MessageLinesXml(benchmark::State& state) { run_messages(state, lines(), {.names_in_xml = true, .limits = {}}); }
void BM_MessageArray(benchmark::State& state) { run_messages(state, array(), {}); }
void BM_MessageFields(benchmark::State& state) { run_messages(state, fields(), {}); }
void BM_MessageWide(benchmark::State& state) { run_messages(state, wide(), {}, kMessages / 50); }
BENCHMARK(BM_MessageLines);
BENCHMARK(BM_MessageLinesGeneral);
BENCHMARK(BM_MessageLinesXml);
BENCHMARK(BM_MessageArray);
BENCHMARK(BM_MessageFields);
BENCHMARK(BM_MessageWide);

}  // namespace
}  // namespace varve::protocol::messages
