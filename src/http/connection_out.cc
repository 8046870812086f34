// SPDX-License-Identifier: Apache-2.0
// The second half of a connection: answers on their way out, whole or piece by piece.
#include <algorithm>
#include <charconv>
#include <utility>

#include "base/check.h"
#include "base/guarded.h"
#include "http/answer.h"
#include "http/connection.h"

namespace varve::http {
namespace {

constexpr std::size_t kTailMin = 16UL << 10;  // a body from here on is sent from where it is
constexpr std::size_t kOutKept = 64UL << 10;  // of the memory for answers, between requests
constexpr std::size_t kUpgradedRead = 8192;
constexpr std::size_t kOwnMax = 64UL << 10;  // an answer of less, which is of no query, is not counted

}  // namespace

void Connection::refuse(Response response) {
  keep_alive_ = false;
  ++exchange_;
  state_ = State::handling;
  encode(response, request_.header("accept-encoding"));
  answer(std::move(response));
}

void Connection::answer(Response response) {
  check(state_ == State::handling, "an answer is that of the request under way");
  ++exchange_;
  auto held = hold(response);
  service_->count(decision_, response.status);
  const bool streams = (response.more || response.feed != nullptr) && request_.method != Method::head;
  if (draining_ || service_->stopping() || client_gone_) keep_alive_ = false;
  if (streams && parser_.info().http_1_0) keep_alive_ = false;
  service_->add_origin(response, request_, decision_.origin);
  const bool is_held = held != nullptr;
  if (is_held) held_.push_back(held_from_here(std::move(held)));
  if (streams) {
    start_stream(response);
  } else {
    append_answer(response);
    if (is_held) held_.back().end = sent_before_ + out_.size() + tail_.size();
    finish_request();
  }
  run();
}

// What the answer holds stays so until its last byte is sent. Where that was ended, or there is no room for its
// text, nothing of it has been sent: it becomes an error.
std::shared_ptr<Held> Connection::hold(Response& response) {
  if (response.held == nullptr) {
    const std::size_t bytes = response.body.capacity();
    if (bytes >= kOwnMax && !answer_memory_.resize(answer_memory_.bytes() + bytes)) response = no_memory();
    return nullptr;
  }
  const Held* const answered = response.held.get();
  const std::weak_ptr<Connection> weak = std::static_pointer_cast<Connection>(shared_from_this());
  const Status alive = response.held->on_end([weak, answered] {
    const auto connection = weak.lock();
    if (connection == nullptr) return;
    const MutexLock lock(connection->loop_mutex_);
    connection->dispatch([connection, answered] { connection->break_off(answered); });
  });
  if (alive) return std::move(response.held);
  response = request_.error(422, alive.error().message);
  return nullptr;
}

Connection::HeldAnswer Connection::held_from_here(std::shared_ptr<Held> held) const {
  HeldAnswer out{.held = std::move(held),
                 .begin = sent_before_ + out_.size(),
                 .end = kStreamed,
                 .asked = {},
                 .origin = decision_.origin,
                 .framing = {}};
  out.asked.method = request_.method;
  out.asked.path = request_.path;
  out.asked.shape = request_.shape;
  if (out.origin == Origin::allowed) out.asked.headers.emplace_back("origin", request_.header("origin"));
  out.framing.keep_alive = keep_alive_;
  out.framing.http_1_0 = parser_.info().http_1_0;
  return out;
}

// Without the last chunk the client sees that it is not whole. HTTP/1.0 has none: there its end would pass for that of
// the answer.
void Connection::close_unfinished(bool http_1_0) {
  if (http_1_0) reset_on_close(true);
  close();
}

// What is answered was ended while its answer was on the way. Of a part of it the client sees that it is not whole; if
// nothing of it is sent yet, it becomes an error.
void Connection::break_off(const Held* answered) {
  const auto at = std::ranges::find(held_, answered, [](const HeldAnswer& one) { return one.held.get(); });
  const std::uint64_t sent = sent_before_ + sent_;
  if (at == held_.end() || sent >= at->end) return;
  if (sent > at->begin) return close_unfinished(at->framing.http_1_0);
  const HeldAnswer ended = std::move(*at);
  held_.erase(at);
  replace(ended);
  if (ended.end != kStreamed) return;
  ++exchange_;  // a piece that is being made is not wanted any more
  request_.gone->store(true);
  piece_under_way_ = piece_made_ = false;
  more_ = nullptr;
  feed_ = nullptr;
  drop(piece_);
  finish_request();
  flush();  // it is blocked, and then goes on
}

// `answer`, nothing of which is sent, by the error of its end.
void Connection::replace(const HeldAnswer& answer) {
  const Status why = answer.held->on_end({});
  Response error = answer.asked.error(422, why ? "the answer was ended" : why.error().message);
  service_->add_origin(error, answer.asked, answer.origin);
  std::string text;
  Framing framing = answer.framing;
  framing.length = error.body.size();
  append_head(text, error, framing);
  if (answer.asked.method != Method::head) text += error.body;
  const std::uint64_t out_end = sent_before_ + out_.size();
  if (answer.end > out_end) drop(tail_);
  const std::uint64_t before = std::min(answer.end, out_end) - answer.begin;
  out_.replace(answer.begin - sent_before_, before, text);
  for (HeldAnswer& later : held_) {
    if (later.begin < answer.begin) continue;
    later.begin += text.size() - before;  // modulo 2^64
    if (later.end != kStreamed) later.end += text.size() - before;
  }
}

void Connection::free_answers() {
  held_.clear();
  answer_memory_.clear();
}

void Connection::append_answer(Response& response) {
  const bool bodiless = response.status == 204 || response.status == 304;
  const bool head_only = request_.method == Method::head;
  Framing framing{.keep_alive = keep_alive_, .http_1_0 = parser_.info().http_1_0, .length = response.body.size()};
  const bool goes_on = response.more || response.feed != nullptr;
  framing.chunked = goes_on && !framing.http_1_0;
  framing.until_close = goes_on && framing.http_1_0;
  append_head(out_, response, framing);
  if (bodiless || head_only) return;
  if (response.body.size() >= kTailMin && tail_.empty()) {
    tail_ = std::move(response.body);
  } else {
    out_ += response.body;
  }
}

// The request has its answer (in out_); its memory is free.
void Connection::finish_request() {
  request_.body = {};
  inflated_.clear();
  if (!keep_alive_) {
    // What still comes is thrown away.
    state_ = State::lingering;
    in_.begin = in_.end = 0;
    in_.shrink();
    return;
  }
  state_ = State::head;
  parser_.reset(request_);
  in_.shrink();
  set_deadline(in_.size() == 0 ? service_->options.idle_timeout : service_->options.head_timeout);
}

// ---- streaming

void Connection::start_stream(Response& response) {
  const bool http_1_0 = parser_.info().http_1_0;
  upgraded_ = response.status == 101;
  chunked_out_ = !http_1_0 && !upgraded_;
  append_head(out_, response,
              {.keep_alive = keep_alive_ || upgraded_,
               .http_1_0 = http_1_0,
               .chunked = chunked_out_,
               .until_close = http_1_0 || upgraded_});
  if (upgraded_) keep_alive_ = false;
  check(!piece_under_way_ && !more_ && !feed_, "one answer is streamed at a time");
  more_ = std::move(response.more);
  more_pool_ = response.pool;
  feed_ = std::move(response.feed);
  feed_waits_ = feed_ended_ = false;
  state_ = State::streaming;
  watch_client();
  piece_ = std::move(response.body);
  piece_made_ = !piece_.empty();
  if (upgraded_ && in_.size() > 0) {  // came right behind the request
    feed_->received({in_.data() + in_.begin, in_.size()});
    in_.begin = in_.end = 0;
  }
  stream();
}

// What comes on a connection that was handed over.
void Connection::receive_for_feed() {
  in_.begin = in_.end = 0;
  const net::IoResult got = read_some(in_.data(), std::min(in_.space(), kUpgradedRead));
  if (got.ended || (got.bytes == 0 && !got.blocked)) {
    client_gone_ = true;
    request_.gone->store(true);
    return close();
  }
  const auto feed = feed_;  // it may end meanwhile
  if (feed != nullptr && got.bytes > 0) feed->received({in_.data(), got.bytes});
  if (is_open()) want_read();
}

// Sends what is made. The next piece is made meanwhile, and waits until this one is in the kernel's hands.
void Connection::stream() {
  while (flush()) {
    const bool feeds = !piece_made_ && !more_ && !piece_under_way_ && feed_ != nullptr;
    if (feeds && !take_from_feed()) return;
    if (!std::exchange(piece_made_, false)) return next_piece();
    clear_deadline();
    if (piece_.empty() && feed_ != nullptr) {
      more_ = nullptr;
      if (!draining_ && !service_->stopping()) continue;
      feed_ = nullptr;
    }
    if (piece_.empty()) {
      if (chunked_out_) out_ += "0\r\n\r\n";
      more_ = nullptr;
      drop(piece_);
      return finish_request();
    }
    if (chunked_out_) {
      char size[16];
      out_.append(size, std::to_chars(size, size + sizeof size, piece_.size(), 16).ptr);
      out_ += "\r\n";
      piece_ += "\r\n";
    }
    tail_.swap(piece_);
    next_piece();
  }
}

// Has the next piece made on the pool.
void Connection::next_piece() {
  if (feed_ended_) {
    feed_ended_ = false;
    piece_.clear();
    piece_made_ = true;
    return;
  }
  if (piece_under_way_ || !more_) return;
  piece_under_way_ = true;
  const auto self = std::static_pointer_cast<Connection>(shared_from_this());
  auto make_piece = [held = held_.empty() ? nullptr : held_.back().held, self, number = exchange_,
                     make = std::move(more_), piece = std::move(piece_)]() mutable {
    piece.clear();
    const Status made = guarded([&] { return make(piece); });
    if (made || made.error().code != Code::cancelled) log_failure("a streamed answer failed", made);
    // What is held goes last, behind the memory that it stands for.
    const auto told = guarded([&] {
      self->dispatch([held = std::move(held), self, number, made = made.has_value(), make = std::move(make),
                      piece = std::move(piece)]() mutable {
        if (self->exchange_ != number) return;  // closed, or ended
        self->piece_under_way_ = false;
        if (!made) return self->close_unfinished(self->parser_.info().http_1_0);
        self->more_ = std::move(make);
        self->piece_ = std::move(piece);
        self->piece_made_ = true;
        self->stream();
        self->run();
      });
    });
    if (!told) self->lost_ = number;
  };
  // Where there is no room it is made beside the others, rather than that the answer ends.
  const auto shared = std::make_shared<decltype(make_piece)>(std::move(make_piece));
  const auto task = [shared] { (*shared)(); };
  const bool posted = (more_pool_ != nullptr && more_pool_->post(task, request_.tenant)) || service_->pool->post(task);
  if (!posted) return close_unfinished(parser_.info().http_1_0);
  if (!is_blocked()) set_deadline(kLookForLost);
}

// The next piece, once there is one. False: it is waited for, for hours if need be, without a deadline.
bool Connection::take_from_feed() {
  if (feed_waits_) return false;
  const std::weak_ptr<Connection> weak = std::static_pointer_cast<Connection>(shared_from_this());
  while (true) {
    feed_waits_ = feed_->wait([weak, number = exchange_] {
      const auto connection = weak.lock();
      if (connection == nullptr) return;
      connection->dispatch([connection, number] {
        if (connection->exchange_ != number || connection->feed_ == nullptr) return;
        connection->feed_waits_ = false;
        connection->stream();
        connection->run();
      });
    });
    if (feed_waits_) {
      if (upgraded_) {
        set_deadline(kFeedIdle);
      } else {
        clear_deadline();
      }
      return false;
    }
    piece_.clear();
    const bool goes_on = feed_->take(piece_);
    if (!goes_on) feed_ = nullptr;
    if (piece_.empty() && goes_on) continue;
    feed_ended_ = !goes_on && !piece_.empty();
    piece_made_ = true;
    return true;
  }
}

// Of a server that stops: what has been made is sent.
void Connection::end_feed() {
  feed_ = nullptr;
  feed_waits_ = false;
  if (more_ || piece_under_way_) return;  // the end comes with that
  if (piece_made_) {
    feed_ended_ = true;
    return;
  }
  piece_.clear();
  piece_made_ = true;
  stream();
  run();
}

// ---- writing

bool Connection::flush() {
  while (is_open() && sent_ < out_.size() + tail_.size()) {
    const std::string_view head = std::string_view(out_).substr(std::min(sent_, out_.size()));
    const std::string_view body = std::string_view(tail_).substr(sent_ - std::min(sent_, out_.size()));
    const net::IoResult put = head.empty() ? write_some(body) : write_some(head, body);
    if (put.ended) {
      close();
      return false;
    }
    sent_ += put.bytes;
    check(sent_ <= out_.size() + tail_.size(), "no more is sent than there is");
    taken_ += put.bytes;
    if (put.blocked) {
      wait_for_reader();
      return false;
    }
  }
  reader_until_ = {};
  sent_before_ += sent_;
  out_.clear();
  tail_.clear();
  sent_ = 0;
  if (out_.capacity() > kOutKept) drop(out_);
  if (state_ == State::streaming) {
    std::erase_if(held_, [this](const HeldAnswer& one) { return one.end <= sent_before_; });
    return is_open();
  }
  drop(tail_);
  free_answers();
  return is_open();
}

// A reader has to take so much in each write_timeout, not just something now and then.
void Connection::wait_for_reader() {
  constexpr std::size_t kTakenMin = 64UL << 10;
  const auto now = std::chrono::steady_clock::now();
  if (reader_until_ == std::chrono::steady_clock::time_point{} || taken_ >= kTakenMin) {
    reader_until_ = now + service_->options.write_timeout;
    taken_ = 0;
  }
  set_deadline(std::chrono::ceil<std::chrono::milliseconds>(std::max(reader_until_ - now, {})));
  want_write();
}

void Connection::watch_client() {
  if (state_ == State::handling && !flush()) return;
  want_read();
}

// The answer goes out, then nothing more is sent; what the client still sends is read and thrown away for a while,
// because closing at once could make its kernel drop our answer.
void Connection::linger() {
  if (!flush()) return;
  if (client_gone_) return close();
  if (!sending_closed_) {
    sending_closed_ = true;
    close_sending();
    set_deadline(std::min(kLinger, service_->options.body_timeout));
  }
  want_read();
}

}  // namespace varve::http
