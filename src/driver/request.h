// SPDX-License-Identifier: Apache-2.0
// Common rules of all requests to Cassandra and Redis.
//
// A request copies its arguments and calls back exactly once, with a value or an error: on a thread of the runtime, or
// on the calling thread if the runtime has ended. The callback may run before the function returns. It must be short,
// must not block and must not throw.
//
// Error codes: invalid (statement, value or credentials: retrying does not help), conflict (the schema is not as
// expected), unavailable, limit (overloaded), timeout, io (no connection), cancelled, corrupt (a malformed reply).
// After timeout, io and cancelled a write may have been executed, or not.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"

struct drv_request;
struct drv_runtime;

namespace varve::driver {

template <class T>
using Done = std::move_only_function<void(Result<T>)>;

// A handle of the C interface, freed with its own function.
template <class T, auto free>
struct Free {
  void operator()(T* handle) const { free(handle); }
};
template <class T, auto free>
using Handle = std::unique_ptr<T, Free<T, free>>;

void free_request(drv_request* request);
void free_runtime(drv_runtime* runtime);

// Cancels a request. Destroying it cancels nothing. Thread-safe.
class Request {
 public:
  Request() = default;
  explicit Request(drv_request* handle) : handle_(handle) {}
  // Calls back with `cancelled`, unless the request has completed. Does not wait.
  void cancel() const;

 private:
  Handle<drv_request, free_request> handle_;
};

// The threads shared by all sessions of a program.
class Runtime {
 public:
  // threads 0: one a core.
  static Result<Runtime> start(unsigned threads);
  // Cancels every request and returns after the last callback. Not from within a callback. Later requests are cancelled
  // at once.
  void stop() { handle_.reset(); }
  [[nodiscard]] bool stopped() const { return handle_ == nullptr; }
  [[nodiscard]] const drv_runtime* handle() const { return handle_.get(); }

 private:
  explicit Runtime(drv_runtime* handle) : handle_(handle) {}
  Handle<drv_runtime, free_runtime> handle_;
};

// PEM files. The server's certificate is verified: its chain by ca_file (empty: the system's authorities), its name by
// the address that is connected to.
struct Tls {
  bool enabled = false;
  std::string ca_file;
  std::string certificate_file, key_file;  // of the client
};

}  // namespace varve::driver
