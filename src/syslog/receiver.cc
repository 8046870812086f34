// SPDX-License-Identifier: Apache-2.0
#include "syslog/receiver.h"

#include <utility>

#include "base/guarded.h"
#include "protocol/syslog/frames.h"

namespace varve::syslog {
namespace {

constexpr std::size_t kBatchBytesMax = 1UL << 20;  // and the datagrams of one system call
// System calls for what the kernel has when the listener stops. A sender that goes on is cut off.
constexpr std::size_t kDrainMax = 4096;

// Set as long as it lives.
class Flag {
 public:
  explicit Flag(bool& flag) : flag_(flag) { flag_ = true; }
  ~Flag() { flag_ = false; }
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;

 private:
  bool& flag_;
};

}  // namespace

Receiver::Receiver(std::shared_ptr<Service> service)
    : Datagrams({.listen = service->options.udp}),
      service_(std::move(service)),
      filling_(std::make_unique<message::Batch>()),
      storing_(std::make_unique<message::Batch>()) {}

void Receiver::on_readable() {
  fill();
  go_on();
}

// Takes what has come and there is room for.
void Receiver::fill() {
  while (has_room() && (!draining_ || drained_ < kDrainMax) && take()) drained_ += draining_ ? 1 : 0;
}

bool Receiver::has_room() const { return filling_->bytes().size() < kBatchBytesMax; }

// Hands over what is there, and waits for whatever has to happen next.
void Receiver::go_on() {
  if (going_on_) return;
  const Flag inside(going_on_);
  for (;;) {
    if (draining_) fill();
    if (appending_ || waiting_ || filling_->empty()) break;
    std::swap(filling_, storing_);
    append();
  }
  if (draining_ && storing_->empty()) return finished();
  if (!draining_ && has_room()) want_read();
}

// False: nothing has come.
bool Receiver::take() {
  protocol::syslog::Refusals refusals;
  message::Builder builder(*filling_);
  auto context = service_->context({});
  const auto datagrams = receive();
  for (const net::Datagram& datagram : datagrams) {
    const std::string_view frame = protocol::syslog::without_end(datagram.bytes);
    context.sender = datagram.sender;
    const auto why = frame.size() > service_->options.message_max ? protocol::syslog::Refusal::too_long
                                                                  : parser_.parse(frame, context, builder);
    if (why) refusals.add(*why);
  }
  service_->count(refusals);
  service_->dropped.add(dropped() - std::exchange(dropped_, dropped()));
  return !datagrams.empty();
}

void Receiver::append() {
  waiting_ = false;
  appending_ = true;
  const Status called = guarded([this] {
    service_->sink(service_->options.tenant, *storing_,
                   [self = std::static_pointer_cast<Receiver>(shared_from_this())](Status status) {
                     self->dispatch([self, status = std::move(status)] { self->appended(status); });
                   });
  });
  if (!called) appended(fail(Code::unavailable, called.error().message));
}

void Receiver::appended(const Status& status) {
  appending_ = false;
  if (!status && status.error().code == Code::unavailable) {
    waiting_ = true;
    return wake_after(service_->options.retry_pause);
  }
  if (status) {
    service_->accepted.add(storing_->rows());
  } else {
    service_->lost(storing_->rows(), status.error());
  }
  storing_->clear();
  go_on();
}

void Receiver::on_wake() {
  if (waiting_) append();
  go_on();
}

void Receiver::on_drain() {
  draining_ = true;
  go_on();
}

}  // namespace varve::syslog
