// SPDX-License-Identifier: Apache-2.0
// One telnet connection: reads a piece, has it parsed, commits what it brought, and reads on when that is durable. So a
// sender that is faster than the store is held back by TCP, and one batch a connection is in flight at most.
#pragma once

#include <memory>
#include <string>

#include "base/metrics.h"
#include "net/stream.h"
#include "protocol/opentsdb/telnet.h"
#include "telnet/listener.h"
#include "write/tenant_targets.h"

namespace varve::telnet {

// What the connections of a listener share.
struct Service {
  Service(ListenerOptions options, write::Writer& writer, Metrics& metrics);
  const ListenerOptions options;
  write::Writer& writer;
  Counter& connections;  // accepted
  Counter& refused;      // over the limit
  Counter& failed;       // closed because the store did not take their lines
};

class Connection final : public net::Stream {
 public:
  explicit Connection(std::shared_ptr<Service> service);

 private:
  void on_start() override;
  void on_readable() override;
  void on_writable() override;
  void on_deadline() override;
  void on_drain() override;
  void on_close() override {}

  void go_on();
  void take(std::string_view piece);
  void commit();
  void committed(const Status& status);
  bool flush();

  std::shared_ptr<Service> service_;
  write::TenantTargets targets_;
  protocol::opentsdb::TelnetParser parser_;
  std::uint64_t refused_ = 0;  // lines, as counted so far
  std::uint64_t too_old_ = 0;  // of those
  std::string replies_;
  std::size_t answered_ = 0;  // bytes of replies_ that are not of the piece under way
  bool committing_ = false;
  bool taking_ = false;    // inside take(): the store may answer at once
  bool ended_ = false;     // no more input: end of the stream, `exit`, or drained
  bool draining_ = false;  // what has arrived is taken, then it ends
  bool failed_ = false;    // a batch was refused: lines were lost, so the end must not look like one in order
};

}  // namespace varve::telnet
