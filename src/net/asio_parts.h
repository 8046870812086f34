// SPDX-License-Identifier: Apache-2.0
// Internal to net/: the Asio objects of loops and streams. Only this folder knows Asio.
#pragma once

#ifdef VARVE_SANITIZED_THREADS
// The sanitizer does not know fences; Asio's are not what we rely on: threads meet in mutexes here.
#define BOOST_ASIO_DISABLE_FENCED_BLOCK 1
#endif

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "net/listener.h"
#include "net/loop.h"
#include "net/stream.h"
#include "net/tls_session.h"

namespace varve::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Pause before retrying after an allocation failed.
inline constexpr std::chrono::milliseconds kOutOfMemoryPause{10};

struct Loop::Asio {
  asio::io_context context{1};  // 1: one thread runs it, so it takes no locks of its own
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  asio::steady_timer timer{context};
};

struct Stream::State {
  std::shared_ptr<Loop> loop;
  std::optional<tcp::socket> socket;
  std::int64_t deadline_ms = 0;  // of Loop::now_ms; 0: none
  bool read_wanted = false;
  bool write_wanted = false;
  bool open = false;
  bool resets = false;    // see reset_on_close()
  bool greeting = false;  // the TLS handshake is not over
  std::unique_ptr<TlsSession> tls;
  const ListenerOptions* options = nullptr;  // outlives open streams
};

}  // namespace varve::net
