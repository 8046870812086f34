// SPDX-License-Identifier: Apache-2.0
#include "tools/load/options.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

namespace varve::load {
namespace {

constexpr std::string_view kUsage = R"(varve-load: sends generated samples and takes the time; prints one line of JSON.

  --url=HOST:PORT[/PATH]  where to (http:// may stand before it; PATH replaces the protocol's usual one)
  --protocol=NAME         influx, remote_write, kairosdb, opentsdb, telnet,
                          otlp_metrics; log messages by
                          ndjson, loki, otlp_logs, bulk, syslog (octet-counted)     (influx)
  --data=KIND             int, decimal, real, mix, new-series (int, 100,000 hosts, 6 steps)  (int)
  --hosts=N --steps=N     so many hosts, so many lines a host; a line has 10 samples  (400, 8640)
  --first-host=N          number of the first host                                    (0)
  --late=N                a tenth of the lines is late by up to N * STEPS * STEP      (0)
  --messages=N            so many log messages, evenly over --span hours              (100000, 24)
  --start=MS              time of the first line                                      (1767225600000)
  --step=MS               between two lines of a host              (10000; mix 15000)
  --seed=N                another walk                                                (123)
  --lines=N               lines or messages a request; 1: one-line requests           (10000)
  --connections=N         keep-alive connections; each has its share of the hosts     (2)
  --laps=N                all of it N times, each time later by STEPS * STEP; for more than memory holds (influx only)
  --rate=N                so many samples a second (at most 8 connections)            (0: as fast as it goes)
  --seconds=S             stop after so long                                          (0: when all is sent)
  --header='NAME: VALUE'  one more header line
  --verify[=HOSTS]        then count everything and compare HOSTS hosts sample by sample (varve only; 5)
  --dry[=FILE]            only prepare, and print how much there is; the requests go into FILE
  --queries=FILE          instead: send the requests of FILE ("METHOD PATH LENGTH\n", body, "\n", …)
  --repeat=N              FILE so often on each connection                            (1)

Example: varve-load --url=127.0.0.1:8080 --data=mix --hosts=100 --steps=1000 --verify
)";

std::uint64_t whole(std::string_view key, std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw std::invalid_argument(fmt::format("--{}={}: a whole number is expected", key, text));
  }
  return value;
}

template <typename T>
T choice(std::string_view key, std::string_view text, const std::map<std::string_view, T>& allowed) {
  const auto found = allowed.find(text);
  if (found != allowed.end()) {
    return found->second;
  }
  std::string names;
  for (const auto& [name, value] : allowed) {
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  throw std::invalid_argument(fmt::format("--{}={}: allowed are {}", key, text, names));
}

void set_data(DataSet& data, std::string_view text) {
  data.kind = choice<Kind>("data", text,
                           {{"int", Kind::integer},
                            {"decimal", Kind::decimal},
                            {"real", Kind::real},
                            {"mix", Kind::mix},
                            {"new-series", Kind::integer}});
  if (text == "new-series") {
    data.hosts = 100'000;
    data.steps = 6;
  }
  if (data.kind == Kind::mix) {
    data.step_ms = 15'000;
    data.steps = 5760;
  }
}

void set(Options& options, std::string_view key, std::string_view value) {
  auto& plan = options.plan;
  if (key == "url") {
    options.address = parse_address(value);
    plan.wire.host = fmt::format("{}:{}", options.address.host, options.address.port);
    plan.wire.path = options.address.path;
  } else if (key == "protocol") {
    plan.wire.protocol = choice<Protocol>(key, value,
                                          {{"influx", Protocol::influx},
                                           {"remote_write", Protocol::remote_write},
                                           {"kairosdb", Protocol::kairosdb},
                                           {"opentsdb", Protocol::opentsdb},
                                           {"telnet", Protocol::telnet},
                                           {"otlp_metrics", Protocol::otlp_metrics},
                                           {"ndjson", Protocol::ndjson},
                                           {"loki", Protocol::loki},
                                           {"otlp_logs", Protocol::otlp_logs},
                                           {"bulk", Protocol::bulk},
                                           {"syslog", Protocol::syslog}});
  } else if (key == "data") {
    set_data(plan.data, value);
  } else if (key == "hosts") {
    plan.data.hosts = whole(key, value);
  } else if (key == "first-host") {
    plan.data.first_host = whole(key, value);
  } else if (key == "late") {
    plan.data.late_spans = whole(key, value);
  } else if (key == "steps") {
    plan.data.steps = whole(key, value);
  } else if (key == "start") {
    plan.data.start_ms = static_cast<std::int64_t>(whole(key, value));
    plan.logs.start_us = plan.data.start_ms * 1000;
  } else if (key == "messages") {
    plan.logs.messages = whole(key, value);
  } else if (key == "span") {
    plan.logs.span_us = static_cast<std::int64_t>(whole(key, value)) * 3'600'000'000;
  } else if (key == "step") {
    plan.data.step_ms = static_cast<std::int64_t>(whole(key, value));
  } else if (key == "seed") {
    plan.data.seed = whole(key, value);
    plan.logs.seed = plan.data.seed;
  } else if (key == "lines") {
    plan.lines_per_request = whole(key, value);
  } else if (key == "connections") {
    plan.connections = whole(key, value);
  } else if (key == "seconds") {
    plan.seconds = static_cast<double>(whole(key, value));
  } else if (key == "header") {
    plan.wire.headers += std::string(value) + "\r\n";
  } else if (key == "verify") {
    options.verify = true;
    options.verify_hosts = value.empty() ? options.verify_hosts : whole(key, value);
  } else if (key == "dry") {
    options.dry = true;
    options.dry_file = value;
  } else if (key == "queries") {
    options.query_file = value;
  } else if (key == "laps") {
    options.laps = whole(key, value);
  } else if (key == "rate") {
    options.samples_per_s = static_cast<double>(whole(key, value));
  } else if (key == "repeat") {
    options.repeat = whole(key, value);
  } else {
    throw std::invalid_argument(fmt::format("unknown flag --{}; see --help", key));
  }
}

}  // namespace

std::string_view usage() { return kUsage; }

Options parse_options(const std::vector<std::string_view>& arguments) {
  Options options;
  options.plan.data.start_ms = 1'767'225'600'000;
  options.plan.logs = {100'000, options.plan.data.start_ms * 1000};
  std::map<std::string_view, std::string_view> later;
  for (const auto argument : arguments) {
    if (!argument.starts_with("--")) {
      throw std::invalid_argument(fmt::format("unexpected argument {}; see --help", argument));
    }
    const auto equals = argument.find('=');
    const auto key = argument.substr(2, equals == std::string_view::npos ? equals : equals - 2);
    const auto value = equals == std::string_view::npos ? std::string_view() : argument.substr(equals + 1);
    if (key == "data") {
      set(options, key, value);  // presets first, so that --hosts after or before it wins
    } else if (key == "header") {
      set(options, key, value);
    } else {
      later[key] = value;
    }
  }
  for (const auto& [key, value] : later) {
    set(options, key, value);
  }
  const auto& plan = options.plan;
  if (plan.data.hosts == 0 || plan.data.steps == 0 || plan.lines_per_request == 0 || plan.connections == 0 ||
      options.repeat == 0 || options.laps == 0 || plan.logs.messages == 0 || plan.logs.span_us == 0) {
    throw std::invalid_argument(
        "--hosts, --steps, --messages, --span, --lines, --connections, --laps and --repeat are at least 1");
  }
  if (options.verify && takes_messages(plan.wire.protocol)) {
    throw std::invalid_argument("--verify: only samples are read back");
  }
  constexpr std::int64_t kFirst19DigitsMs = 1'000'000'000'000;  // in nanoseconds
  if (options.laps > 1 &&
      (plan.wire.protocol != Protocol::influx || plan.data.start_ms < kFirst19DigitsMs || options.verify)) {
    throw std::invalid_argument("--laps: only with --protocol=influx, times since 2001 and without --verify");
  }
  if (options.verify && (plan.data.first_host > 0 || plan.data.late_spans > 0)) {
    throw std::invalid_argument("--verify: not with --first-host or --late");
  }
  if (options.samples_per_s > 0 && (plan.connections > 8 || is_stream(plan.wire.protocol))) {
    throw std::invalid_argument("--rate: at most 8 connections, not telnet or syslog");
  }
  if (options.address.port == 0 && !options.dry) {
    throw std::invalid_argument("--url=HOST:PORT is needed");
  }
  return options;
}

Prepared read_query_file(const std::string& path, const Wire& wire) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw std::invalid_argument("cannot read " + path);
  }
  Prepared prepared;
  std::string method;
  std::string target;
  std::size_t length = 0;
  while (file >> method >> target >> length) {
    file.ignore();  // the newline
    std::string body(length, '\0');
    file.read(body.data(), static_cast<std::streamsize>(length));
    if (!file) {
      throw std::invalid_argument(path + " ends inside a request");
    }
    const bool form = target.starts_with("/query");
    prepared.add(fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n{}Content-Type: {}\r\nContent-Length: {}\r\n\r\n{}", method,
                             target, wire.host, wire.headers,
                             form ? "application/x-www-form-urlencoded" : "application/json", length, body),
                 0);
  }
  if (prepared.count() == 0) {
    throw std::invalid_argument(path + " has no request");
  }
  return prepared;
}

}  // namespace varve::load
