// SPDX-License-Identifier: Apache-2.0
#include "telnet/connection.h"

#include "base/log.h"

namespace varve::telnet {
namespace {

constexpr std::size_t kPieceBytes = 128UL << 10;
constexpr std::size_t kRepliesMax = 64UL << 10;  // unread by the client: no more lines are taken from it
constexpr std::chrono::milliseconds kDrainReplies{1000};

// Only one connection of a thread reads at a time.
thread_local std::unique_ptr<char[]> piece_buffer;

}  // namespace

Service::Service(ListenerOptions o, write::Writer& w, Metrics& metrics)
    : options(std::move(o)),
      writer(w),
      connections(metrics.counter("varve_telnet_connections_total", "Telnet connections accepted.")),
      refused(metrics.counter("varve_telnet_connections_refused_total", "Telnet connections over the limit.")),
      failed(metrics.counter("varve_telnet_connections_failed_total",
                             "Telnet connections closed because the store did not take their lines.")) {}

Connection::Connection(std::shared_ptr<Service> service)
    : service_(std::move(service)),
      targets_(service_->writer, write::Family::telnet, service_->options.tenant_default),
      parser_(targets_, {.line_max = service_->options.line_max,
                         .tenant_tag = service_->options.tenant_tag ? protocol::opentsdb::TenantTag::names
                                                                    : protocol::opentsdb::TenantTag::plain,
                         .version = "KairosDB 1.3.0-1 (varve " + service_->options.version + ")"}) {}

void Connection::on_start() {
  service_->connections.add();
  go_on();
}

// Waits for whatever has to happen next.
void Connection::go_on() {
  if (!is_open() || committing_ || !flush()) return;
  if (ended_ || failed_) return close();
  if (draining_) return on_readable();
  if (service_->options.idle_timeout.count() != 0) set_deadline(service_->options.idle_timeout);
  want_read();
}

// Reads once; while draining, until there is nothing left to read.
void Connection::on_readable() {
  if (!piece_buffer) piece_buffer = std::make_unique_for_overwrite<char[]>(kPieceBytes);
  while (is_open() && !committing_ && !ended_ && !failed_) {
    const net::IoResult got = read_some(piece_buffer.get(), kPieceBytes);
    if (got.ended || (got.blocked && draining_)) ended_ = true;
    if (got.bytes != 0) take({piece_buffer.get(), got.bytes});
    if (!draining_ || committing_ || !flush()) break;
  }
  if (!committing_) go_on();
}

void Connection::take(std::string_view piece) {
  answered_ = replies_.size();
  if (!parser_.feed(piece, replies_)) ended_ = true;
  if (parser_.refused() != refused_) {
    const std::uint64_t old = parser_.too_old() - too_old_;
    service_->writer.count_rejected(Code::too_old, old);
    service_->writer.count_rejected(Code::invalid, parser_.refused() - refused_ - old);
    refused_ = parser_.refused();
    too_old_ = parser_.too_old();
  }
  committing_ = true;
  taking_ = true;
  clear_deadline();
  targets_.commit([self = std::static_pointer_cast<Connection>(shared_from_this())](Status status) {
    self->dispatch([self, status = std::move(status)] { self->committed(status); });
  });
  taking_ = false;
}

void Connection::committed(const Status& status) {
  committing_ = false;
  if (!status) {
    const Error& error = status.error();
    // Of a tenant that is full some series are refused; lines of others may be fine.
    const bool lost = error.code != Code::limit && error.code != Code::invalid;
    // Who asked for the version behind the lines would take its answer for an acknowledgement of them.
    if (lost) replies_.resize(answered_);
    replies_.insert(answered_, "error: " + error.message + "\n");
    if (lost) {
      log::warn("telnet lines were lost", {{"error", error.message}});
      service_->failed.add();
      failed_ = true;
    }
  }
  if (!taking_) go_on();  // else on_readable() goes on
}

// False: the client has to read first, or the connection is gone.
bool Connection::flush() {
  while (!replies_.empty()) {
    const net::IoResult put = write_some(replies_);
    if (put.ended) {
      // The client does not listen; it may still be sending, or have sent, lines that count.
      replies_.clear();
      break;
    }
    replies_.erase(0, put.bytes);
    if (put.blocked) {
      want_write();
      if (draining_ || ended_) set_deadline(kDrainReplies);
      return replies_.size() < kRepliesMax && !ended_ && !failed_ && !draining_;
    }
  }
  return is_open();
}

void Connection::on_writable() { go_on(); }
void Connection::on_deadline() { close(); }

void Connection::on_drain() {
  draining_ = true;
  go_on();
}

}  // namespace varve::telnet
