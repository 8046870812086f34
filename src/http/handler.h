// SPDX-License-Identifier: Apache-2.0
// What an API family sees of HTTP: a whole request in, one response out, later and from any thread if it wants.
// No socket, no Beast, no Asio here; server.h has those.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
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

  [[nodiscard]] std::optional<std::string_view> param(std::string_view name) const;
  [[nodiscard]] std::string_view header(std::string_view lower_name) const;  // "" if absent
  // What stands in the path for {name} of the route; "" if the route has no such segment.
  [[nodiscard]] std::string_view captured(std::string_view name) const;
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

// Makes the answer to an error in the form that the clients of a path know. `path`: as Request::path.
using ErrorShape = Response (*)(int status, std::string_view message, std::string_view path);

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

// What a route does, so that a server may have some of them only (config key `roles`): answers questions of what is
// stored, changes that (metadata and tasks, too), deletes, or is about the server itself.
enum class Effect { reads, writes, deletes, administers };

// Exact paths, or a pattern with segments that may be anything: "/api/v1/metric/{name}" (Request::captured()).
// A known path with another method answers 405 with Allow, an unknown one 404. OPTIONS is answered for all.
class Router {
 public:
  using Serves = std::function<bool(Effect)>;
  Router() = default;
  // Routes whose effect is not served are not added: for clients they do not exist.
  explicit Router(Serves serves) : serves_(std::move(serves)) {}

  void add(Method method, std::string pattern, Handler handler, Effect effect = Effect::reads);
  // A GET that changes something, as KairosDB has them. It does not answer HEAD, and no page of another site may send
  // it (origins.h).
  void add_changing_get(std::string pattern, Handler handler, Effect effect);

  // All paths that begin with `prefix`, and all methods that Method names: for what finds its way itself, such as the
  // files of a web page or what is handed on to another server. Routes of a path come before prefixes, a longer prefix
  // before a shorter one. `prefix` ends with a slash.
  void add_prefix(std::string prefix, Handler handler, Effect effect = Effect::reads);
  // Some requests of a route that is there already are another family's: those that `is_theirs`.
  void add_variant(Method method, std::string_view pattern, std::function<bool(const Request&)> is_theirs,
                   Handler handler);

  // Its handler knows `Expect: 202-accepted`; of all other routes the server refuses that (417).
  void answers_later(Method method, std::string_view pattern);

  struct Match {
    const Handler* handler = nullptr;  // nullptr: not found or wrong method
    std::string_view pattern;          // label of the route in metrics; "" if not found
    std::string allow;                 // methods of the path, comma separated; "" if not found
    std::size_t index = 0;             // of the route (of another method, if the method is wrong)
    bool changing_get = false;
    bool answers_later = false;
  };
  [[nodiscard]] std::size_t size() const { return routes_.size(); }
  // `name_slashes` of the path part no segments (url.h).
  [[nodiscard]] Match find(Method method, std::string_view path, std::span<const std::size_t> name_slashes = {}) const;
  // The same for a request, whose captures become those of the route.
  [[nodiscard]] Match find(Request& request) const;

 private:
  struct Route {
    Method method;
    std::string pattern;
    Handler handler;
    bool is_plain = true;  // has no segment in braces
    bool changing_get = false;
    bool is_prefix = false;
    bool answers_later = false;
    [[nodiscard]] bool matches(std::string_view path, std::span<const std::size_t> name_slashes) const;
  };
  [[nodiscard]] const Route* prefix_of(std::string_view path) const;
  // nullptr: its effect is not served.
  [[nodiscard]] Route* added(Method method, std::string_view pattern);

  Serves serves_;  // empty: all
  std::vector<Route> routes_;
};

}  // namespace varve::http
