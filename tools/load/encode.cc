// SPDX-License-Identifier: Apache-2.0
#include "tools/load/encode.h"

#include <fmt/format.h>
#include <snappy.h>

#include <charconv>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/load/otlp_encode.h"
#include "tools/load/protobuf.h"

namespace varve::load {
namespace {

void append_integer(std::string& out, std::int64_t value) {
  char text[24];
  out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

class InfluxEncoder : public Encoder {
 public:
  explicit InfluxEncoder(const DataSet& data) : kind_(data.kind) {}

  void add(const Line& line) override {
    body_ += head(line.host);
    for (std::size_t i = 0; i < kFields; ++i) {
      body_ += i == 0 ? ' ' : ',';
      body_ += field_name(kind_, i);
      body_ += '=';
      append_number(body_, line.values[i]);
      if (line.values[i].form == Form::integer) {
        body_ += 'i';
      }
    }
    body_ += ' ';
    append_integer(body_, line.time_ms * 1'000'000);
    body_ += '\n';
  }
  std::string take() override { return std::exchange(body_, {}); }

 private:
  const std::string& head(std::uint64_t host) {
    auto& text = heads_[host];
    if (text.empty()) {
      text = measurement(kind_);
      for (const auto& tag : host_tags(host)) {
        text += fmt::format(",{}={}", tag.key, tag.value);
      }
    }
    return text;
  }

  Kind kind_;
  std::string body_;
  std::unordered_map<std::uint64_t, std::string> heads_;
};

// WriteRequest{timeseries=1}; TimeSeries{labels=1, samples=2}; Label{name=1, value=2}; Sample{value=1, timestamp=2}.
class RemoteWriteEncoder : public Encoder {
 public:
  explicit RemoteWriteEncoder(const DataSet& data) : kind_(data.kind) {}

  void add(const Line& line) override {
    const auto& labels = all_labels(line.host);
    for (std::size_t i = 0; i < kFields; ++i) {
      std::string sample(1, '\x09');
      const double value = as_double(line.values[i]);
      char raw[sizeof value];
      std::memcpy(raw, &value, sizeof value);
      sample.append(raw, sizeof raw);
      sample += '\x10';
      append_varint(sample, static_cast<std::uint64_t>(line.time_ms));
      series_ = labels[i];
      append_bytes(series_, 2, sample);
      append_bytes(body_, 1, series_);
    }
  }

  std::string take() override {
    std::string packed;
    snappy::Compress(body_.data(), body_.size(), &packed);
    body_.clear();
    return packed;
  }

 private:
  using Labels = std::array<std::string, kFields>;

  const Labels& all_labels(std::uint64_t host) {
    auto& entry = labels_[host];
    if (!entry) {
      entry = std::make_unique<Labels>();
      const auto tags = host_tags(host);
      for (std::size_t i = 0; i < kFields; ++i) {
        auto& text = (*entry)[i];
        add_label(text, "__name__", fmt::format("{}_{}", measurement(kind_), field_name(kind_, i)));
        for (const auto& tag : tags) {
          add_label(text, tag.key, tag.value);
        }
      }
    }
    return *entry;
  }

  static void add_label(std::string& out, std::string_view name, std::string_view value) {
    std::string label;
    append_bytes(label, 1, name);
    append_bytes(label, 2, value);
    append_bytes(out, 1, label);
  }

  Kind kind_;
  std::string body_;
  std::string series_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Labels>> labels_;
};

// One object a series of the body, with all its points: the way a batching client sends.
class KairosEncoder : public Encoder {
 public:
  explicit KairosEncoder(const DataSet& data) : kind_(data.kind) {}

  void add(const Line& line) override {
    auto [slot, fresh] = places_.try_emplace(line.host, objects_.size());
    if (fresh) {
      open(line.host);
    }
    for (std::size_t i = 0; i < kFields; ++i) {
      auto& object = objects_[slot->second + i];
      object += fresh ? "[" : ",[";
      append_integer(object, line.time_ms);
      object += ',';
      append_number(object, line.values[i]);
      object += ']';
    }
  }

  std::string take() override {
    std::string body = "[";
    for (const auto& object : objects_) {
      body += body.size() > 1 ? "," : "";
      body += object;
      body += "]}";
    }
    body += ']';
    objects_.clear();
    places_.clear();
    return body;
  }

 private:
  void open(std::uint64_t host) {
    std::string tags;
    for (const auto& tag : host_tags(host)) {
      tags += fmt::format(R"({}"{}":"{}")", tags.empty() ? "" : ",", tag.key, tag.value);
    }
    for (std::size_t i = 0; i < kFields; ++i) {
      objects_.push_back(fmt::format(R"({{"name":"{}_{}","tags":{{{}}},"datapoints":[)", measurement(kind_),
                                     field_name(kind_, i), tags));
    }
  }

  Kind kind_;
  std::vector<std::string> objects_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
};

class OpenTsdbEncoder : public Encoder {
 public:
  OpenTsdbEncoder(const DataSet& data, bool telnet) : kind_(data.kind), telnet_(telnet) {}

  void add(const Line& line) override {
    const auto& tags = tag_text(line.host);
    for (std::size_t i = 0; i < kFields; ++i) {
      if (telnet_) {
        body_ += fmt::format("putm {}_{} {} ", measurement(kind_), field_name(kind_, i), line.time_ms);
        append_number(body_, line.values[i]);
        body_ += tags;
        body_ += '\n';
        continue;
      }
      body_ += fmt::format(R"({}{{"metric":"{}_{}","timestamp":{},"value":)", body_.empty() ? "[" : ",",
                           measurement(kind_), field_name(kind_, i), line.time_ms);
      append_number(body_, line.values[i]);
      body_ += R"(,"tags":{)";
      body_ += tags;
      body_ += "}}";
    }
  }

  std::string take() override {
    if (!telnet_) {
      body_ += ']';
    }
    return std::exchange(body_, {});
  }

 private:
  const std::string& tag_text(std::uint64_t host) {
    auto& text = tags_[host];
    if (text.empty()) {
      for (const auto& tag : host_tags(host)) {
        text += telnet_ ? fmt::format(" {}={}", tag.key, tag.value)
                        : fmt::format(R"({}"{}":"{}")", text.empty() ? "" : ",", tag.key, tag.value);
      }
    }
    return text;
  }

  Kind kind_;
  bool telnet_;
  std::string body_;
  std::unordered_map<std::uint64_t, std::string> tags_;
};

struct Defaults {
  std::string_view path;
  std::string_view headers;
};

Defaults defaults(Protocol protocol) {
  switch (protocol) {
    case Protocol::influx: return {"/write?db=bench", "Content-Type: text/plain\r\n"};
    case Protocol::remote_write:
      return {"/api/v1/write",
              "Content-Type: application/x-protobuf\r\nContent-Encoding: snappy\r\n"
              "X-Prometheus-Remote-Write-Version: 0.1.0\r\n"};
    case Protocol::kairosdb: return {"/api/v1/datapoints", "Content-Type: application/json\r\n"};
    case Protocol::opentsdb: return {"/api/put", "Content-Type: application/json\r\n"};
    case Protocol::ndjson: return {"/api/v1/messages", "Content-Type: application/x-ndjson\r\n"};
    case Protocol::bulk: return {"/_bulk", "Content-Type: application/x-ndjson\r\n"};
    case Protocol::loki: return {"/loki/api/v1/push", "Content-Type: application/json\r\n"};
    case Protocol::otlp_metrics: return {"/v1/metrics", "Content-Type: application/x-protobuf\r\n"};
    case Protocol::otlp_logs: return {"/v1/logs", "Content-Type: application/x-protobuf\r\n"};
    case Protocol::telnet:
    case Protocol::syslog: break;
  }
  return {};
}

}  // namespace

std::unique_ptr<Encoder> make_encoder(Protocol protocol, const DataSet& data) {
  switch (protocol) {
    case Protocol::influx: return std::make_unique<InfluxEncoder>(data);
    case Protocol::remote_write: return std::make_unique<RemoteWriteEncoder>(data);
    case Protocol::kairosdb: return std::make_unique<KairosEncoder>(data);
    case Protocol::opentsdb: return std::make_unique<OpenTsdbEncoder>(data, false);
    case Protocol::telnet: return std::make_unique<OpenTsdbEncoder>(data, true);
    case Protocol::otlp_metrics: return make_otlp_encoder(data);
    default: break;  // of messages
  }
  return nullptr;
}

std::string request(const Wire& wire, const std::string& body) {
  if (is_stream(wire.protocol)) {
    return body;
  }
  const auto usual = defaults(wire.protocol);
  std::string out =
      fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n{}{}\r\n",
                  wire.path.empty() ? usual.path : wire.path, wire.host, body.size(), usual.headers, wire.headers);
  out += body;
  return out;
}

}  // namespace varve::load
