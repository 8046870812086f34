// SPDX-License-Identifier: Apache-2.0
// What all requests to Cassandra and Redis have in common.
//
// A request copies what it is given and calls back exactly once, with a value or an error: on a thread of the runtime,
// or on the asking thread if the runtime has ended. The callback may come before the asking function returns. It must
// be short, must not block and must not throw.
//
// Error codes: invalid (statement, value or credentials: trying again is of no use), conflict (the schema is not as
// expected), unavailable, limit (overloaded), timeout, io (no connection), cancelled, corrupt (an answer that makes no
// sense). After timeout, io and cancelled a write may have been done, or not.
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

// A handle of the border, freed with the function that belongs to it.
template <class T, auto free>
struct Free {
  void operator()(T* handle) const { free(handle); }
};
template <class T, auto free>
using Handle = std::unique_ptr<T, Free<T, free>>;

void free_request(drv_request* request);
void free_runtime(drv_runtime* runtime);

// To cancel with. Dropping it cancels nothing. Thread-safe.
class Request {
 public:
  Request() = default;
  explicit Request(drv_request* handle) : handle_(handle) {}
  // Calls back with `cancelled`, unless the request is done by now. Does not wait.
  void cancel() const;

 private:
  Handle<drv_request, free_request> handle_;
};

// The threads that all sessions of a program share.
class Runtime {
 public:
  // threads 0: one a core.
  static Result<Runtime> start(unsigned threads);
  // Cancels every request, returns when the last callback has ended. Not in a callback. What is asked of it or of its
  // sessions later is cancelled at once.
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
