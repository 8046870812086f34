// SPDX-License-Identifier: Apache-2.0
// The UDP address: what has come goes into a batch, which grows while the one before is being stored.
#pragma once

#include <memory>

#include "message/builder.h"
#include "net/datagrams.h"
#include "protocol/syslog/message.h"
#include "syslog/service.h"

namespace varve::syslog {

class Receiver final : public net::Datagrams {
 public:
  explicit Receiver(std::shared_ptr<Service> service);

 private:
  void on_start() override { go_on(); }
  void on_readable() override;
  void on_wake() override;
  void on_drain() override;

  void go_on();
  bool take();
  [[nodiscard]] bool has_room() const;
  void fill();
  void append();
  void appended(const Status& status);

  std::shared_ptr<Service> service_;
  protocol::syslog::Parser parser_;
  std::uint64_t dropped_ = 0;  // as counted so far
  std::unique_ptr<message::Batch> filling_;
  std::unique_ptr<message::Batch> storing_;
  bool appending_ = false;  // storing_ is the sink's
  bool waiting_ = false;    // for the store to be there again
  bool going_on_ = false;   // inside go_on(): the store may answer at once
  bool draining_ = false;
  std::size_t drained_ = 0;  // calls of take()
};

}  // namespace varve::syslog
