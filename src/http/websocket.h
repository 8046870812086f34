// SPDX-License-Identifier: Apache-2.0
// WebSocket (RFC 6455), the server's side: handshake, frames from their bytes and back. No socket here.
// docs/decisions/0046.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/handler.h"

namespace varve::http {

// The answer to a handshake: 101, without a feed. Error: invalid, the request is none.
Result<Response> accept_websocket(const Request& request);

enum class FrameKind : std::uint8_t { continued = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

// Why a connection is closed.
enum class CloseCode : std::uint16_t { normal = 1000, protocol_error = 1002, policy = 1008, too_large = 1009 };

void append_frame(std::string& out, FrameKind kind, std::string_view payload);
void append_close_frame(std::string& out, CloseCode code, std::string_view why);

// Reads what a client sends. Frames are small: clients say hardly anything.
class FrameReader {
 public:
  static constexpr std::size_t kPayloadMax = 4096;
  // The payload is valid during the call.
  using Sink = std::function<void(FrameKind kind, std::string_view payload)>;
  // Error: the connection is to be closed with this code; nothing more may be read.
  std::optional<CloseCode> read(std::string_view bytes, const Sink& sink);

 private:
  [[nodiscard]] std::optional<CloseCode> check_head() const;
  [[nodiscard]] std::size_t head_size() const;
  [[nodiscard]] std::size_t payload_size() const;

  std::string frame_;  // as far as it has come
};

}  // namespace varve::http
