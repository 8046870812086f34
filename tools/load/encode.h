// SPDX-License-Identifier: Apache-2.0
// The data as bytes of each protocol: one encoder collects lines and gives back one body after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tools/load/dataset.h"

namespace varve::load {

// Samples up to otlp_metrics, log messages from ndjson on.
enum class Protocol {
  influx,
  remote_write,
  kairosdb,
  opentsdb,
  telnet,
  otlp_metrics,
  ndjson,
  loki,
  otlp_logs,
  bulk,
  syslog
};

inline bool takes_messages(Protocol protocol) { return protocol >= Protocol::ndjson; }
// Without requests and answers: all is promised when the connection was closed in order.
inline bool is_stream(Protocol protocol) { return protocol == Protocol::telnet || protocol == Protocol::syslog; }

struct Wire {
  Protocol protocol = Protocol::influx;
  std::string host = "127.0.0.1";  // for the Host header
  std::string path;                // "" : the usual path of the protocol
  std::string headers;             // more header lines, each with CRLF
};

// A body in its HTTP request, or the bytes of a stream.
class Encoder {
 public:
  virtual ~Encoder() = default;
  virtual void add(const Line& line) = 0;
  // The body of the lines added since the last call.
  virtual std::string take() = 0;
};

// Tags of a host are rendered once and kept while the encoder lives (memory: 300 bytes a host and field at most).
std::unique_ptr<Encoder> make_encoder(Protocol protocol, const DataSet& data);

// The whole request as it goes over the connection.
std::string request(const Wire& wire, const std::string& body);

}  // namespace varve::load
