// SPDX-License-Identifier: Apache-2.0
#include "syslog/connection.h"

#include <utility>

#include "base/check.h"
#include "protocol/syslog/message.h"

namespace varve::syslog {
namespace {

constexpr std::size_t kPieceBytes = 64UL << 10;
// What the kernel may have of a connection when the listener stops. A sender that goes on is cut off.
constexpr std::size_t kDrainBytesMax = 16UL << 20;

// What only the connection that reads needs.
struct Scratch {
  std::unique_ptr<char[]> piece = std::make_unique_for_overwrite<char[]>(kPieceBytes);
  protocol::syslog::Parser parser;
  std::unique_ptr<message::Batch> spare;
};

Scratch& scratch() {
  thread_local Scratch one;
  return one;
}

bool is_of_rows(Code code) {
  return code == Code::invalid || code == Code::too_large || code == Code::too_old || code == Code::limit;
}

}  // namespace

Connection::Connection(std::shared_ptr<Service> service)
    : service_(std::move(service)), frames_(service_->options.message_max, refusals_) {}

void Connection::on_start() {
  service_->connections.add();
  // From the first byte on: the kernel ends the connections of a process that was killed, and in order only promises
  // durability.
  reset_on_close(true);
  sender_ = peer_address();
  go_on();
}

// Waits for whatever has to happen next.
void Connection::go_on() {
  if (!is_open() || batch_ != nullptr) return;
  if (ended_) return end_in_order();
  if (draining_) return on_readable();
  if (took_ && service_->options.is_slowed()) {
    took_ = false;
    pausing_ = true;
    return set_deadline(service_->options.retry_pause);
  }
  if (service_->options.idle_timeout.count() != 0) set_deadline(service_->options.idle_timeout);
  want_read();
}

// Reads once; while draining, until there is nothing left to read.
void Connection::on_readable() {
  while (is_open() && batch_ == nullptr && !ended_) {
    took_ = true;
    const net::IoResult got = read_some(scratch().piece.get(), kPieceBytes);
    if (draining_) drained_bytes_ += got.bytes;
    if (got.ended || (got.blocked && draining_) || drained_bytes_ > kDrainBytesMax) {
      ended_ = true;
      frames_.end();
    }
    if (got.bytes != 0 || ended_) take({scratch().piece.get(), got.bytes});
    if (!draining_) break;
  }
  go_on();
}

void Connection::take(std::string_view piece) {
  Scratch& s = scratch();
  if (s.spare == nullptr) s.spare = std::make_unique<message::Batch>();
  s.spare->clear();
  message::Builder builder(*s.spare);
  const auto context = service_->context(sender_);
  frames_.add(piece);
  while (const auto frame = frames_.next()) {
    if (const auto why = s.parser.parse(*frame, context, builder)) refusals_.add(*why);
  }
  frames_.shrink();
  service_->count(refusals_);
  if (s.spare->empty()) return;
  batch_ = std::move(s.spare);
  append();
}

void Connection::append() {
  clear_deadline();
  waiting_ = false;
  taking_ = true;
  service_->sink(service_->options.tenant, *batch_,
                 [self = std::static_pointer_cast<Connection>(shared_from_this())](Status status) {
                   self->dispatch([self, status = std::move(status)] { self->appended(status); });
                 });
  taking_ = false;
}

void Connection::appended(const Status& status) {
  if (!status && status.error().code == Code::unavailable) {
    waiting_ = true;
    set_deadline(service_->options.retry_pause);
    return;
  }
  const std::size_t rows = batch_->rows();
  scratch().spare = std::move(batch_);
  if (status) {
    service_->accepted.add(rows);
  } else {
    service_->lost(rows, status.error());
    if (!is_of_rows(status.error().code)) return close();
  }
  if (!taking_) go_on();  // else who called append() goes on
}

void Connection::on_deadline() {
  if (pausing_) {
    pausing_ = false;
    clear_deadline();
    return go_on();
  }
  if (!waiting_) return end_in_order();
  append();
  go_on();
}

// All that came is durable, or was refused and counted.
void Connection::end_in_order() {
  check(batch_ == nullptr, "a connection ended before its messages were durable");
  reset_on_close(false);
  close();
}

void Connection::on_drain() {
  draining_ = true;
  if (pausing_) clear_deadline();
  pausing_ = false;
  go_on();
}

}  // namespace varve::syslog
