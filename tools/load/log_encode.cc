// SPDX-License-Identifier: Apache-2.0
#include "tools/load/log_encode.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <utility>

#include "tools/load/protobuf.h"

namespace varve::load {
namespace {

void append_json(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_member(std::string& out, std::string_view name, std::string_view text) {
  if (text.empty()) {
    return;
  }
  out += fmt::format(",\"{}\":", name);
  append_json(out, text);
}

// 2026-11-24T10:00:00.123456Z
std::string rfc3339(std::int64_t time_us) {
  const std::chrono::sys_seconds second{std::chrono::seconds(time_us / 1'000'000)};
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", second, time_us % 1'000'000);
}

class NdjsonEncoder : public LogEncoder {
 public:
  void add(const LogMessage& m) override {
    body_ += fmt::format("{{\"time\":{}", m.time_us);
    append_member(body_, "source", m.source);
    append_member(body_, "module", m.module);
    append_member(body_, "type", m.type);
    body_ += fmt::format(",\"kind\":{},\"level\":{}", m.kind, m.level);
    append_member(body_, "category", m.category);
    append_member(body_, "node_type", m.node_type);
    if (m.sequence > 0) {
      body_ += fmt::format(",\"instance\":\"0\",\"sequence\":{}", m.sequence);
    }
    body_ += fmt::format(",\"pid\":{}", m.pid);
    append_member(body_, "ip", m.ip);
    for (std::size_t i = 0; i < m.objects.size(); ++i) {
      body_ += i == 0 ? ",\"objects\":[" : ",";
      append_json(body_, m.objects[i]);
    }
    body_ += m.objects.empty() ? "" : "]";
    append_member(body_, "text", m.text);
    body_ += "}\n";
  }
  std::string take() override { return std::exchange(body_, {}); }

 private:
  std::string body_;
};

class BulkEncoder : public LogEncoder {
 public:
  void add(const LogMessage& m) override {
    body_ += fmt::format("{{\"create\":{{}}}}\n{{\"@timestamp\":\"{}\"", rfc3339(m.time_us));
    append_member(body_, "host.name", m.source);
    append_member(body_, "service.name", m.module);
    append_member(body_, "event.kind", m.type);
    append_member(body_, "message", m.text);
    body_ += fmt::format(",\"log.level\":\"{}\",\"process.pid\":{}}}\n", m.level, m.pid);
  }
  std::string take() override { return std::exchange(body_, {}); }

 private:
  std::string body_;
};

// One stream for each source and module of the body, as an agent batches them.
class LokiEncoder : public LogEncoder {
 public:
  void add(const LogMessage& m) override {
    std::string& values = streams_[{m.source, m.module}];
    values += fmt::format("{}[\"{}000\",", values.empty() ? "" : ",", m.time_us);
    append_json(values, m.text);
    values += ']';
  }
  std::string take() override {
    std::string body = "{\"streams\":[";
    for (const auto& [labels, values] : streams_) {
      body += body.back() == '[' ? "" : ",";
      body += fmt::format(R"({{"stream":{{"source":"{}","module":"{}"}},"values":[{}]}})", labels.first, labels.second,
                          values);
    }
    streams_.clear();
    return body + "]}";
  }

 private:
  std::map<std::pair<std::string, std::string>, std::string> streams_;
};

// ExportLogsServiceRequest{resource_logs=1}; ResourceLogs{resource=1, scope_logs=2}; ScopeLogs{log_records=2};
// LogRecord{time_unix_nano=1 fixed64, severity_number=2, body=5, attributes=6}; KeyValue{key=1, value=2};
// AnyValue{string_value=1}. One resource for each source and module.
class OtlpEncoder : public LogEncoder {
 public:
  void add(const LogMessage& m) override {
    std::string record;
    append_fixed64(record, 1, static_cast<std::uint64_t>(m.time_us) * 1000);
    append_number(record, 2, kSeverities[m.level & 7]);
    append_bytes(record, 5, text_value(m.text));
    append_bytes(record, 6, attribute("type", m.type));
    append_bytes(resources_[{m.source, m.module}], 2, record);
  }
  std::string take() override {
    std::string body;
    for (const auto& [names, records] : resources_) {
      std::string resource, logs;
      append_bytes(resource, 1, attribute("host.name", names.first));
      append_bytes(resource, 1, attribute("service.name", names.second));
      append_bytes(logs, 1, resource);
      append_bytes(logs, 2, records);
      append_bytes(body, 1, logs);
    }
    resources_.clear();
    return body;
  }

 private:
  static constexpr std::uint64_t kSeverities[] = {21, 19, 18, 17, 13, 10, 9, 5};  // of the levels of syslog

  static std::string text_value(std::string_view text) {
    std::string out;
    append_bytes(out, 1, text);
    return out;
  }
  static std::string attribute(std::string_view key, std::string_view text) {
    std::string out;
    append_bytes(out, 1, key);
    append_bytes(out, 2, text_value(text));
    return out;
  }

  std::map<std::pair<std::string, std::string>, std::string> resources_;
};

class SyslogEncoder : public LogEncoder {
 public:
  void add(const LogMessage& m) override {
    const auto message = fmt::format("<{}>1 {} {} {} {} {} - {}", 16 * 8 + (m.level & 7), rfc3339(m.time_us), m.source,
                                     m.module, m.pid, m.type, m.text);
    body_ += fmt::format("{} {}", message.size(), message);
  }
  std::string take() override { return std::exchange(body_, {}); }

 private:
  std::string body_;
};

}  // namespace

std::unique_ptr<LogEncoder> make_log_encoder(Protocol protocol) {
  switch (protocol) {
    case Protocol::ndjson: return std::make_unique<NdjsonEncoder>();
    case Protocol::bulk: return std::make_unique<BulkEncoder>();
    case Protocol::loki: return std::make_unique<LokiEncoder>();
    case Protocol::otlp_logs: return std::make_unique<OtlpEncoder>();
    case Protocol::syslog: return std::make_unique<SyslogEncoder>();
    default: return nullptr;
  }
}

}  // namespace varve::load
