// SPDX-License-Identifier: Apache-2.0
// Internal to net/: TLS on one socket that does not block.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "net/stream.h"
#include "net/tls.h"

namespace varve::net {

class TlsSession {
 public:
  // The socket stays the caller's, and open as long as anything here is called. Throws bad_alloc.
  TlsSession(std::shared_ptr<const TlsContext> context, int socket);
  ~TlsSession();

  enum class Step { done, wants_read, wants_write, failed };
  Step handshake();
  [[nodiscard]] TlsFailure failure() const;  // once it has failed

  // As Stream's. A read takes all that is there.
  IoResult read_some(char* to, std::size_t size);
  IoResult write_some(std::string_view bytes);
  // What is read next is here, and not in the socket.
  [[nodiscard]] bool has_pending() const;
  // A read goes on once the socket can be written, or a write once it can be read.
  [[nodiscard]] bool read_wants_write() const;
  [[nodiscard]] bool write_wants_read() const;
  // Tells the other side that this is the end, if that is possible at once.
  void say_end();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace varve::net
