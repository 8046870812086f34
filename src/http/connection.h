// SPDX-License-Identifier: Apache-2.0
// One HTTP connection: reads a request, has it handled, writes the answer, and again. All of it runs on the loop's
// thread; only Exchange::send comes from elsewhere. With its first large body it moves to a bulk loop.
//
//   head ──► body or chunks ──► handling ──► (writing) ──► head …          answers of pipelined requests gather in out_
//                  └─► inflating ─┘└──► streaming, piece by piece ──► head …
//   an error in a request, or "Connection: close": the answer, then lingering (the client may still be sending), closed
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "codec/compression.h"
#include "http/answer.h"
#include "http/body_buffer.h"
#include "http/body_deadline.h"
#include "http/handler.h"
#include "http/inflated_body.h"
#include "http/request_parser.h"
#include "http/service.h"
#include "net/stream.h"

namespace varve::http {

class Connection final : public net::Stream {
 public:
  explicit Connection(std::shared_ptr<Service> service);
  ~Connection() override;

 private:
  static constexpr std::chrono::milliseconds kLookForLost{1000};  // see lost_
  static constexpr std::chrono::milliseconds kLinger{1000};
  static constexpr std::chrono::milliseconds kFeedIdle{30'000};

  class Exchange;  // the Sink of one request
  // An answer that is held until its last byte is sent.
  struct HeldAnswer {
    std::shared_ptr<Held> held;
    std::uint64_t begin;  // its bytes, counted from the connection's first one
    std::uint64_t end;    // kStreamed: it is the last one, and goes on
    // What an error in its place takes: method, path and Origin of its request.
    Request asked;
    Origin origin;
    Framing framing;
  };
  static constexpr std::uint64_t kStreamed = std::numeric_limits<std::uint64_t>::max();

  enum class State { head, body, chunks, inflating, handling, streaming, lingering };

  void on_start() override;
  void on_readable() override;
  void on_writable() override;
  void on_deadline() override;
  void on_drain() override;
  void on_close() override;
  void on_moved() override;

  // Each returns true when there may be more to do at once, false when something must happen first.
  void run();
  void let_others_run();
  bool step_head();
  bool step_body();
  bool step_chunks();
  bool begin_body();
  [[nodiscard]] bool is_bulk() const;  // may the body take time that others on the same loop would wait?
  bool receive(std::size_t bytes_wanted,
               std::size_t expected = 0);  // makes room and reads once; false: nothing to be had now
  bool read_more();
  void took(std::size_t bytes);
  bool move_to_bulk_loop();

  void handle();
  void step_inflating();
  void call_handler_with(const Result<std::string_view>& inflated);
  void call_handler();
  void refuse(Response response);  // answers, and closes the connection afterwards
  Response no_memory();            // to the request under way
  void answer(Response response);  // of the request under way
  void finish_request();

  std::shared_ptr<Held> hold(Response& response);
  [[nodiscard]] HeldAnswer held_from_here(std::shared_ptr<Held> held) const;
  void close_unfinished(bool http_1_0);  // an answer of which some is sent
  void break_off(const Held* answered);
  void replace(const HeldAnswer& answer);
  void free_answers();
  // An empty string that is assigned leaves the memory where it is.
  static void drop(std::string& text) { std::string().swap(text); }

  void append_answer(Response& response);
  void start_stream(Response& response);
  void stream();
  void next_piece();
  bool take_from_feed();
  void receive_for_feed();
  void end_feed();

  bool flush();  // false: blocked or closed
  void wait_for_reader();
  [[nodiscard]] bool is_blocked() const { return sent_ < out_.size() + tail_.size(); }
  void watch_client();
  void linger();

  std::shared_ptr<Service> service_;
  BodyBuffer in_;
  RequestParser parser_;
  Request request_;
  Decision decision_;
  State state_ = State::head;
  bool keep_alive_ = true;
  bool draining_ = false;
  bool running_ = false;  // inside run(), so that an answer given at once does not recurse
  bool waits_for_turn_ = false;
  bool client_gone_ = false;
  std::uint64_t exchange_ = 0;  // number of the request under way: late answers to others are dropped
  std::size_t body_begin_ = 0;  // in in_
  std::size_t body_size_ = 0;   // so far (chunks), or in all
  BodyDeadline body_deadline_;
  std::vector<codec::Coding> codings_;  // of the body, the first one applied first
  InflatedBody inflated_;

  // What the answers hold that are not wholly sent. The small ones of out_ are the connection's own.
  std::vector<HeldAnswer> held_;
  MemoryLedger::Account answer_memory_;  // of those that are not of queries
  std::string out_;                      // heads and small bodies, of one or more answers
  std::string tail_;                     // one large body behind out_, not copied
  std::size_t sent_ = 0;
  std::uint64_t sent_before_ = 0;  // bytes that were in front of out_
  std::size_t taken_ = 0;          // by the reader, who must take enough until then
  std::chrono::steady_clock::time_point reader_until_{};
  std::function<Status(std::string&)> more_;
  TaskPool* more_pool_ = nullptr;  // Response::pool
  std::shared_ptr<Feed> feed_;     // behind more_
  bool feed_waits_ = false;        // for something to send
  bool feed_ended_ = false;        // and what it gave last is on its way
  std::string piece_;
  bool piece_under_way_ = false;  // on the pool, which has more_ and piece_
  bool piece_made_ = false;       // in piece_, not yet sent; empty: the end
  bool chunked_out_ = false;
  bool upgraded_ = false;  // to another protocol, which the feed speaks
  bool sending_closed_ = false;

  std::atomic<std::uint64_t> lost_{0};  // number of a request whose answer will never come: no memory to tell it
  Mutex loop_mutex_;  // held while it moves to another loop, and by who ends a query, to find the right one
};

}  // namespace varve::http
