// SPDX-License-Identifier: Apache-2.0
// Datagrams: one UDP address and its event loop, on a thread of its own. A protocol derives from it and is called when
// datagrams have come; all calls come from that thread. Asio does not appear in the interface.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::net {

struct DatagramOptions {
  std::string listen;  // address:port or [v6]:port; port 0: any (see port())
  // What the kernel may hold of datagrams that were not received; it may grant less (net.core.rmem_max).
  std::size_t kernel_bytes = std::size_t{16} << 20;
};

struct Datagram {
  std::string_view bytes;
  std::string_view sender;  // its address, without the port
};

// start and stop are called from one thread, once; stop before the last owner lets go.
class Datagrams : public std::enable_shared_from_this<Datagrams> {
 public:
  explicit Datagrams(DatagramOptions options);
  virtual ~Datagrams();
  Datagrams(const Datagrams&) = delete;
  Datagrams& operator=(const Datagrams&) = delete;

  // Binds and starts the thread. Errors: invalid (not an address), conflict (in use), io.
  Status start();
  [[nodiscard]] std::uint16_t port() const;
  // Tells it to drain, waits until it is finished or the deadline has passed, closes, joins the thread.
  void stop(std::chrono::milliseconds deadline);

  // From any thread, once it has started: runs fn on the loop's thread, at once when this is that thread. False (and fn
  // is dropped) when the loop has ended. fn should keep this alive.
  bool dispatch(std::function<void()> fn);

 protected:
  virtual void on_start() = 0;
  virtual void on_readable() = 0;  // once per want_read()
  virtual void on_wake() = 0;      // once per wake_after()
  virtual void on_drain() = 0;     // receive what has come, then finished()
  // An exception in these, and in what is dispatched, is logged, and on_wake() comes a little later.

  // What has come, a number of them at a time; they lie there until the next call. Empty: nothing now.
  std::span<const Datagram> receive();
  // Datagrams that the kernel had no room for, of which it tells with the next one that it has.
  [[nodiscard]] std::uint64_t dropped() const;

  void want_read();  // nothing if it is wanted already
  void wake_after(std::chrono::milliseconds time);
  void finished();

 private:
  struct State;
  Status bind();
  void guard(const std::function<void()>& event);
  std::unique_ptr<State> state_;
};

}  // namespace varve::net
