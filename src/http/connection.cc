// SPDX-License-Identifier: Apache-2.0
#include "http/connection.h"

#include <algorithm>
#include <atomic>

#include "base/check.h"
#include "base/guarded.h"
#include "base/parse_memory.h"
#include "codec/compression.h"
#include "http/answer.h"
#include "http/content_coding.h"

namespace varve::http {
namespace {

constexpr std::size_t kSmallBuffer = 8192;
constexpr std::size_t kOutMax = 64UL << 10;      // answers gathered before they are sent
constexpr std::size_t kReadMax = 128UL << 10;    // then it is the turn of the thread's other connections
constexpr std::size_t kTurnRequests = 4;         // the same, of requests that have come together
constexpr std::size_t kLargeBody = 256UL << 10;  // goes to a bulk loop, lest other clients of this one wait
constexpr std::size_t kLargeSoFar = 64UL << 10;  // the same, of one whose size is not known
constexpr std::size_t kLargeCoded = 16UL << 10;  // the same, compressed: it is said to be large by what comes out

// Room for what follows so many bytes that have come: a claim is believed as it comes true, so that nobody holds much
// by claiming much. While it is little, in large steps.
std::size_t room_after(std::size_t bytes) {
  constexpr std::size_t kLittle = std::size_t{1} << 20;
  return std::max(kSmallBuffer / 2, bytes * (bytes < kLittle ? 4 : 2));
}

}  // namespace

// Lives as long as a handler may answer. Knows its request by number, so that an answer after the end is nothing.
class Connection::Exchange final : public Responder::Sink {
 public:
  Exchange(std::shared_ptr<Connection> connection, std::uint64_t number)
      : connection_(std::move(connection)), number_(number) {}
  ~Exchange() override {
    if (!answered_) apologize(500, "the request was dropped");
  }
  void send(Response response) override {
    if (answered_.exchange(true)) return;
    if (!guarded([&] { deliver(std::move(response)); })) apologize(503, "out of memory");
  }
  // The handler threw.
  void failed(const Error& error) {
    if (answered_.exchange(true)) return;
    apologize(error.code == Code::unavailable ? 503 : 500,
              error.code == Code::unavailable ? error.message : "internal error");
  }

 private:
  // With the little memory that it takes, or else by closing the connection, which takes none.
  void apologize(int status, std::string_view message) {
    const auto answer = [&] { deliver(connection_->request_.error(status, message)); };
    if (!guarded(answer)) connection_->lost_ = number_;
  }
  void deliver(Response response) {
    // Here, on the handler's thread, compressing takes no time of the other connections.
    encode(response, connection_->request_.header("accept-encoding"));
    Connection* connection = connection_.get();
    if (connection->on_loop_thread()) {
      if (connection->exchange_ == number_) connection->guard([&] { connection->answer(std::move(response)); });
      return;
    }
    connection->dispatch([keep = connection_, number = number_, r = std::move(response)]() mutable {
      if (keep->exchange_ == number) keep->answer(std::move(r));
    });
  }

  std::shared_ptr<Connection> connection_;
  std::uint64_t number_;
  std::atomic<bool> answered_{false};
};

Connection::Connection(std::shared_ptr<Service> service)
    : service_(std::move(service)),
      in_(service_->memory, service_->blocks, kSmallBuffer),
      parser_(service_->options.head_max, service_->options.target_max),
      body_deadline_(service_->options.body_timeout, service_->options.body_rate_min),
      inflated_(service_->memory),
      answer_memory_(service_->memory, MemoryLedger::Kind::answer) {
  request_.gone = std::make_shared<std::atomic<bool>>(false);
}

Connection::~Connection() = default;

// ---- events

void Connection::on_start() {
  request_.peer = peer_address();
  parser_.reset(request_);
  set_deadline(service_->options.head_timeout);
  run();
}

void Connection::on_readable() {
  if (state_ == State::handling || state_ == State::streaming) {
    // The client sent its next request already, or it went away: only the latter matters now.
    if (upgraded_ && state_ == State::streaming) return receive_for_feed();
    if (!peek_ended()) return;
    client_gone_ = true;
    request_.gone->store(true);
    if (state_ == State::streaming && feed_ != nullptr) close();  // it may be hours until there is something to send
    return;
  }
  if (!read_more()) return;
  run();
}

void Connection::on_writable() {
  if (!flush()) return;
  if (state_ == State::streaming) {
    clear_deadline();
    stream();
  }
  run();
}

void Connection::on_deadline() {
  switch (state_) {
    case State::handling:  // queries have their own limit
      if (lost_ == exchange_) return close();
      return set_deadline(kLookForLost);
    case State::head:
      if (in_.size() == 0 || !out_.empty() || !tail_.empty()) return close();
      break;
    case State::streaming:  // without anything to send, it is the next piece that is waited for
      if (is_blocked() || lost_ == exchange_) return close();
      if (!upgraded_ || !feed_waits_) return set_deadline(kLookForLost);
      set_deadline(kFeedIdle);
      return std::shared_ptr(feed_)->idle();
    case State::lingering: return close();
    default: break;
  }
  service_->timeouts.add();
  refuse(error_response(408, "the request took too long to come"));
}

void Connection::on_drain() {
  draining_ = true;
  if (state_ == State::streaming && feed_ != nullptr) return end_feed();
  if (state_ != State::head) return;
  if (in_.size() == 0 && out_.empty()) return close();
  set_deadline(std::min(kLinger, service_->options.head_timeout));
}

void Connection::on_moved() { run(); }

void Connection::on_close() {
  client_gone_ = true;
  request_.gone->store(true);
  ++exchange_;
  // A handler may need the request for a long time yet. What nobody will read goes now.
  more_ = nullptr;
  feed_ = nullptr;
  for (std::string* text : {&out_, &tail_, &piece_}) drop(*text);
  sent_ = 0;
  free_answers();
}

// ---- reading

void Connection::run() {
  if (running_ || waits_for_turn_) return;
  running_ = true;
  std::size_t requests = 0;
  for (bool go = true; go && is_open();) {
    if (state_ == State::head && in_.size() != 0 && requests++ == kTurnRequests) {
      running_ = false;
      return let_others_run();
    }
    if (is_bulk()) {
      running_ = false;  // before the other thread looks
      if (move_to_bulk_loop()) return;
      running_ = true;
    }
    switch (state_) {
      case State::head: go = step_head(); break;
      case State::body: go = step_body(); break;
      case State::chunks: go = step_chunks(); break;
      case State::handling:
        watch_client();
        go = false;
        break;
      case State::inflating: step_inflating(); break;
      case State::streaming: go = false; break;
      case State::lingering:
        linger();
        go = false;
        break;
    }
  }
  running_ = false;
}

// Many small requests of one client, each of which may cost something, are not one piece of work.
void Connection::let_others_run() {
  waits_for_turn_ = true;
  const MutexLock lock(loop_mutex_);
  after_others([self = std::static_pointer_cast<Connection>(shared_from_this())] {
    self->waits_for_turn_ = false;
    self->run();
  });
}

bool Connection::move_to_bulk_loop() {
  const MutexLock lock(loop_mutex_);
  return move_to_bulk();
}

bool Connection::is_bulk() const {
  if (state_ == State::inflating) return true;
  if (state_ != State::body && state_ != State::chunks) return false;
  const std::size_t large = state_ == State::body ? kLargeBody : kLargeSoFar;
  return body_size_ >= large || (body_size_ >= kLargeCoded && !request_.header("content-encoding").empty());
}

// Reads what is there. False when the connection was closed.
bool Connection::read_more() {
  std::size_t room = in_.space();
  if (state_ == State::lingering) {
    in_.begin = in_.end = 0;  // thrown away
    room = in_.space();
  }
  const net::IoResult got = read_some(in_.data() + in_.end, std::min(room, kReadMax));
  if (got.ended || (got.bytes == 0 && !got.blocked)) {
    close();
    return false;
  }
  took(got.bytes);
  return true;
}

void Connection::took(std::size_t bytes) {
  if (bytes == 0) return;
  const bool idle = state_ == State::head && in_.size() == 0;
  in_.end += bytes;
  if (idle) {
    set_deadline(service_->options.head_timeout);
  } else if (state_ == State::body || state_ == State::chunks) {
    const auto now = std::chrono::steady_clock::now();
    body_deadline_.took(bytes, now);
    set_deadline(body_deadline_.left(now));
  }
}

Response Connection::no_memory() {
  service_->memory->note_body_refused();
  return request_.error(503, "requests hold all the memory that limits.memory allows; try again");
}

bool Connection::receive(std::size_t bytes_wanted, std::size_t expected) {
  if (in_.space() == 0 || in_.size() + in_.space() < bytes_wanted) {
    if (!in_.make_room(bytes_wanted, expected)) {
      refuse(no_memory());
      return true;
    }
  }
  want_read();
  return false;
}

bool Connection::step_head() {
  // A client that sends requests and reads no answers is not served any further. Nothing may come behind tail_.
  if ((!tail_.empty() || out_.size() >= kOutMax) && !flush()) return false;
  if (in_.size() == 0) {
    if (!flush()) return false;
    if (draining_ || client_gone_) {
      close();
      return false;
    }
    in_.shrink();
    want_read();
    return false;
  }
  const auto step = parser_.head({in_.data() + in_.begin, in_.size()});
  in_.begin += step.used;
  if (step.outcome == RequestParser::Outcome::error) {
    decision_ = Decision{};
    refuse(error_response(step.status, step.reason));
    return true;
  }
  if (step.outcome == RequestParser::Outcome::more) {
    if (!flush()) return false;
    return receive(in_.size() + kSmallBuffer / 2);
  }
  return begin_body();
}

bool Connection::begin_body() {
  const Head& head = parser_.info();
  keep_alive_ = head.keep_alive && !draining_;
  decision_ = service_->decide(request_, head);
  const bool has_body = head.chunked || head.content_length != 0;
  if (head.content_length > service_->options.body_max) {
    refuse(request_.error(413, "the body is larger than " + std::to_string(service_->options.body_max) + " bytes"));
    return true;
  }
  if (decision_.refusal && (head.expect_continue || head.chunked || head.content_length > kSmallBuffer)) {
    // Not worth reading what comes with it.
    refuse(std::move(*decision_.refusal));
    return true;
  }
  if (head.expect_continue && has_body && in_.size() == 0) out_ += "HTTP/1.1 100 Continue\r\n\r\n";
  body_begin_ = in_.begin;
  body_size_ = head.content_length;
  if (!has_body || (!head.chunked && in_.size() >= body_size_ && body_size_ < kLargeCoded)) {
    handle();
    return true;
  }
  const auto now = std::chrono::steady_clock::now();
  body_deadline_.begin(in_.size(), now);
  set_deadline(body_deadline_.left(now));
  if (head.content_length > MemoryLedger::kSmallMax) in_.expect_large();
  state_ = head.chunked ? State::chunks : State::body;
  return flush();
}

bool Connection::step_body() {
  if (in_.size() >= body_size_) {
    body_begin_ = in_.begin;
    handle();
    return true;
  }
  if (in_.space() >= kSmallBuffer / 4 || in_.size() + in_.space() >= body_size_) {
    want_read();
    return false;
  }
  return receive(std::min(body_size_, room_after(in_.size())), body_size_);
}

// Decoded bytes stay at the front, [body_begin_, body_begin_ + body_size_); in_.begin is where the raw ones start.
bool Connection::step_chunks() {
  std::size_t moved = 0;
  const auto step = parser_.chunks({in_.data() + in_.begin, in_.size()}, in_.data() + body_begin_ + body_size_,
                                   service_->options.body_max - body_size_, moved);
  in_.begin += step.used;
  body_size_ += moved;
  if (step.outcome == RequestParser::Outcome::error) {
    refuse(request_.error(step.status, step.reason));
    return true;
  }
  if (step.outcome == RequestParser::Outcome::done) {
    handle();
    return true;
  }
  // Close the gap that the framing left, then see to it that there is room behind.
  const std::size_t body_end = body_begin_ + body_size_;
  std::copy(in_.data() + in_.begin, in_.data() + in_.end, in_.data() + body_end);
  in_.end = body_end + in_.size();
  in_.begin = body_begin_;
  bool wait = true;
  if (in_.space() < kSmallBuffer / 4) {
    wait = in_.make_room(std::min(room_after(in_.size()), in_.size() + service_->options.body_max));
  }
  const std::size_t raw = in_.end - in_.begin - body_size_;
  body_begin_ = in_.begin;
  in_.begin = in_.end - raw;
  if (!wait) {
    refuse(no_memory());
    return true;
  }
  want_read();
  return false;
}

// ---- handling

void Connection::handle() {
  check(body_begin_ + body_size_ <= in_.end, "the body lies in what has come");
  if (!parser_.info().chunked) in_.begin = body_begin_ + body_size_;
  request_.body = {in_.data() + body_begin_, body_size_};
  state_ = State::handling;
  set_deadline(kLookForLost);
  ++exchange_;
  if (decision_.refusal) {
    Response refusal = std::move(*decision_.refusal);
    encode(refusal, request_.header("accept-encoding"));
    return answer(std::move(refusal));
  }
  auto codings = content_codings(request_, decision_.route->protobuf_is_snappy);
  if (!codings) return answer(request_.error(415, codings.error().message));
  codings_ = std::move(*codings);
  // An empty body is a body of no bytes in every coding but snappy, which always has a length.
  const bool coded = !codings_.empty() && (!request_.body.empty() || codings_.back() == codec::Coding::snappy);
  if (!coded) return call_handler();
  const auto small = inflated_.unpack_small(codings_, request_.body, std::min(kLargeBody, service_->options.body_max));
  if (!small && small.error().code == Code::too_large) {
    state_ = State::inflating;
    return;
  }
  call_handler_with(small);
}

// A body of which much comes out, on a bulk loop if there is one.
void Connection::step_inflating() {
  state_ = State::handling;
  request_.body = {in_.data() + body_begin_, body_size_};
  call_handler_with(inflated_.unpack(codings_, request_.body, service_->options.body_max));
}

void Connection::call_handler_with(const Result<std::string_view>& inflated) {
  if (!inflated && inflated.error().code == Code::unavailable) return answer(no_memory());
  if (!inflated) return answer(request_.error(inflated.error()));
  request_.body = *inflated;
  call_handler();
}

void Connection::call_handler() {
  auto& gone = request_.gone;
  if (gone.use_count() != 1 || gone->load(std::memory_order_relaxed)) gone = std::make_shared<std::atomic<bool>>(false);
  const auto exchange = std::make_shared<Exchange>(std::static_pointer_cast<Connection>(shared_from_this()), exchange_);
  request_.memory = service_->memory;
  const Status handled = guarded([&] {
    const ParseMemory parsing(service_->memory);
    decision_.route->handler(request_, Responder(exchange));
  });
  if (handled) return;
  log_failure("a handler failed", handled);
  exchange->failed(handled.error());
}

}  // namespace varve::http
