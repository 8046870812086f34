// SPDX-License-Identifier: Apache-2.0
// CPU per message: parsing one of 250 bytes in each form, and a stream of them from bytes to rows.
#include <string>

#include <benchmark/benchmark.h>

#include "protocol/syslog/frames.h"
#include "protocol/syslog/message.h"

namespace varve::protocol::syslog {
namespace {

constexpr std::size_t kBytes = 250;

std::string filled(std::string message) {
  message.append(" connection from 192.0.2.44 port 50022 accepted for user root, session opened; key SHA256:");
  for (char c = 'a'; message.size() < kBytes; c = static_cast<char>(c == 'z' ? 'a' : c + 1)) message += c;
  return message;
}

std::string rfc5424() { return filled("<86>1 2023-10-10T11:59:58.123456+02:00 web-17.example.com sshd 12345 ID47 - "); }
std::string rfc5424_with_data() {
  return filled(
      "<86>1 2023-10-10T11:59:58.123456Z web-17.example.com sshd 12345 ID47 "
      "[timeQuality tzKnown=\"1\" isSynced=\"1\"] ");
}
std::string rfc3164() { return filled("<86>Oct 10 11:59:58 web-17 sshd[12345]: "); }

const Context kContext{1'696'939'200'000'000, {}, "192.0.2.7"};

void parse_one(benchmark::State& state, const std::string& frame, const char* zone) {
  Context context = kContext;
  context.zone = *model::TimeZone::find(zone);
  message::Batch batch;
  message::Builder builder(batch);
  Parser parser;
  for (auto _ : state) {
    if (batch.rows() == 1000) batch.clear();
    benchmark::DoNotOptimize(parser.parse(frame, context, builder));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(frame.size()) * state.iterations());
}

// A read of 128 KiB at a time.
void stream(benchmark::State& state, bool counted) {
  constexpr std::size_t kPiece = 128 << 10;
  const std::string frame = rfc5424();
  const std::string one = counted ? std::to_string(frame.size()) + " " + frame : frame + "\n";
  std::string bytes;
  while (bytes.size() < 16 * kPiece) bytes += one;
  message::Batch batch;
  message::Builder builder(batch);
  Parser parser;
  Refusals refusals;
  Frames frames(kMessageBytesMax, refusals);
  std::size_t messages = 0;
  for (auto _ : state) {
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
      batch.clear();
      frames.add(std::string_view(bytes).substr(at, kPiece));
      while (const auto next = frames.next()) benchmark::DoNotOptimize(parser.parse(*next, kContext, builder));
      messages += batch.rows();
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes.size()) * state.iterations());
  state.counters["per_message"] =
      benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(parse_one, rfc5424, rfc5424(), "");
BENCHMARK_CAPTURE(parse_one, rfc5424_with_data, rfc5424_with_data(), "");
BENCHMARK_CAPTURE(parse_one, rfc3164, rfc3164(), "");
BENCHMARK_CAPTURE(parse_one, rfc3164_in_a_zone, rfc3164(), "Europe/Berlin");
BENCHMARK_CAPTURE(stream, lines, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stream, counted, true)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace varve::protocol::syslog
