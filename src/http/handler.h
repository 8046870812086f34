// SPDX-License-Identifier: Apache-2.0
// What an API family sees of HTTP: a whole request in, one response out, later and from any thread if it wants.
// No socket, no Beast, no Asio here; server.h has those.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace varve {
class MemoryLedger;
class TaskPool;
}  // namespace varve

namespace varve::http {

enum class Method { get, head, post, put, delete_, options, other };

// Behind the body there are always this many readable bytes, so that SIMD parsers may read past its end.
inline constexpr std::size_t kBodyPadding = 64;
// A streamed answer is made in pieces of about this size.
inline constexpr std::size_t kPieceBytes = std::size_t{64} * 1024;

// What stands in a path for a segment in braces of its route.
struct Capture {
  std::string_view name;  // without the braces; lives as long as the router
  std::size_t from = 0;   // in the path
  std::size_t length = 0;
};

struct Request;
struct Response;

// Makes the answer to an error in the form that a route's clients know. It asks the request for no more than its path
// and its headers.
using ErrorShape = Response (*)(int status, std::string_view message, const Request& request);
// That of routes that have no other: error_response (answer.h).
Response plain_error(int status, std::string_view message, const Request& request);

// Valid until the response has been sent (Responder keeps it alive).
struct Request {
  Method method = Method::get;
  std::string path;           // decoded, without query and without /t/<tenant>
  std::string tenant;         // a valid name; empty if the request names none and there is no default
  bool tenant_named = false;  // path or header named it (else it is tenant.default)
  std::vector<std::pair<std::string, std::string>> query;    // decoded, in order
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string_view body;                                     // Content-Encoding undone, at most http.body_max

  // Set once the client has hung up: work for it may stop.
  std::shared_ptr<std::atomic<bool>> gone;
  std::vector<std::size_t> name_slashes;           // of the path; url.h
  std::vector<Capture> captures = {};              // of the path; Router::find()
  std::shared_ptr<MemoryLedger> memory = nullptr;  // for what is made of it (ParseMemory); nullptr: nobody counts
  std::string peer = {};                           // the address that it came from, without its port
  ErrorShape shape = plain_error;                  // of its route; Router::find()

  [[nodiscard]] std::optional<std::string_view> param(std::string_view name) const;
  [[nodiscard]] std::string_view header(std::string_view lower_name) const;  // "" if absent
  // What stands in the path for {name} of the route; "" if the route has no such segment.
  [[nodiscard]] std::string_view captured(std::string_view name) const;

  // The answer to an error in the shape of the route; the status of an Error is status_of() its code (answer.h).
  [[nodiscard]] Response error(int status, std::string_view message) const;
  [[nodiscard]] Response error(const Error& why) const;
};

// The request line without the host: how a query by URL is told in the list of running queries.
std::string target_text(const Request& request);

// What an answer is of, which is held until its last byte is sent or the connection is closed.
class Held {
 public:
  virtual ~Held() = default;
  // `call` is called once, from any thread, if somebody ends it meanwhile: what is left of the answer is not sent then.
  // An error, and nothing is kept: it has been ended already, and the answer becomes that error.
  virtual Status on_end(std::function<void()> call) = 0;
};

// What a body goes on with whenever there is something, without a thread that waits for it.
class Feed {
 public:
  // Nobody takes any more of it once it is destroyed, which may be on any thread.
  virtual ~Feed() = default;
  // False: there is something to take, or the end is reached. Else `ready` is called once when that is so, from any
  // thread; until then this is not called again.
  virtual bool wait(std::function<void()> ready) = 0;
  // Appends what there is, if anything. False: that was the end. It must not block.
  virtual bool take(std::string& piece) = 0;

  // Of an answer of status 101, which hands the connection over to another protocol: its body has no framing, what the
  // client sends comes here, and idle() is called now and then while there is nothing to send. They must not block.
  virtual void received(std::string_view /*bytes*/) {}
  virtual void idle() {}
};

struct Response {
  int status = 200;
  std::string content_type = "application/json; charset=UTF-8";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  // If set, the body goes on: called for the next piece each time the last one is on its way (so a slow reader holds
  // one piece), until it leaves `piece` empty. Sent chunked. Runs on `pool`, never two at once. An error is logged (but
  // Code::cancelled) and ends the connection without the last chunk, so the client sees that the answer is not whole.
  std::function<Status(std::string& piece)> more;
  bool pack_small = false;               // compressed where the client takes that, whatever it gains
  std::shared_ptr<Held> held = nullptr;  // may be nullptr
  // If set, the body goes on with it behind what `more` gives. Such an answer is not compressed, and the server does
  // not wait for its end when it stops.
  std::shared_ptr<Feed> feed = nullptr;
  // Where `more` runs, in turns with other tenants, as it may take long; it outlives the server. nullptr, or no room
  // there: a pool of the server.
  TaskPool* pool = nullptr;

  static Response text(int status, std::string body) {
    return {status, "text/plain; charset=utf-8", {}, std::move(body), {}, false, nullptr, nullptr, nullptr};
  }
  static Response json(int status, std::string body) {
    return {status, "application/json; charset=UTF-8", {}, std::move(body), {}, false, nullptr, nullptr, nullptr};
  }
  // Of varve's own routes, for people at a prompt: it ends its line.
  static Response own_json(int status, std::string body) {
    if (!body.ends_with('\n')) body += '\n';
    return json(status, std::move(body));
  }
  static Response empty(int status) { return {status, "", {}, "", {}, false, nullptr, nullptr, nullptr}; }
};

// Answers one request, exactly once, from any thread. Copyable; if the last copy goes without an answer, it is a 500.
class Responder {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void send(Response response) = 0;
  };
  explicit Responder(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}
  void operator()(Response response) const { sink_->send(std::move(response)); }

 private:
  std::shared_ptr<Sink> sink_;
};

// Runs on an I/O thread (with a large body: on the server's pool): parse and append there, hand anything else that can
// take longer than a millisecond to a pool.
using Handler = std::function<void(const Request&, Responder)>;

}  // namespace varve::http
