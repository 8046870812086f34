// SPDX-License-Identifier: Apache-2.0
// Frames: the messages of a byte stream that may be cut anywhere. RFC 6587's two forms may follow one another on a
// connection: `LENGTH SP message`, and a message with LF, CRLF or NUL behind it.
//
//   frames.add(piece);
//   while (const auto frame = frames.next()) …
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/syslog/refusal.h"

namespace varve::protocol::syslog {

inline constexpr std::size_t kMessageBytesMax = std::size_t{64} << 10;
// A longer one is not skipped to its end, but to the end of the line: the length is wrong, most likely.
inline constexpr std::size_t kCountMax = std::size_t{16} << 20;

// The memory is that of one message and one piece. For one thread.
class Frames {
 public:
  // Counts what is too long or incomplete.
  Frames(std::size_t message_max, Refusals& refusals) : max_(message_max), refusals_(refusals) {}

  void add(std::string_view piece);
  // The stream has ended: a last line without an end is a frame, too; a counted message that is not whole is not.
  void end() { ended_ = true; }
  // The next whole frame, without what ends it. It may be empty; it lies here until the next add().
  std::optional<std::string_view> next();
  // Once next() has none: keeps what is not whole yet in as little memory as it takes.
  void shrink();
  // Bytes of what is not whole yet.
  [[nodiscard]] std::size_t held() const { return rest().size(); }

 private:
  // What ended the frame before: one more of these may follow it, and is no frame.
  enum class After : std::uint8_t { nothing, count, lf, nul };
  struct Count {
    std::size_t body = 0;  // begins here; 0: there is no count
    std::size_t bytes = 0;
    bool open = false;  // the piece does not tell yet
  };

  [[nodiscard]] std::string_view rest() const { return std::string_view(held_).substr(at_); }
  bool skip();
  bool skip_end();
  [[nodiscard]] Count count() const;
  std::optional<std::string_view> counted(Count count);
  std::optional<std::string_view> line();
  std::size_t find_end(std::size_t most);
  void passed_end(std::size_t end);

  const std::size_t max_;
  Refusals& refusals_;
  std::string held_;
  std::size_t at_ = 0;        // what is before it has been given
  std::size_t searched_ = 0;  // no line ends between at_ and this
  std::size_t skip_bytes_ = 0;
  bool skip_line_ = false;
  bool ended_ = false;
  After after_ = After::nothing;
};

// A frame without the LF, CRLF or NUL at its end: of a counted one, or a datagram.
std::string_view without_end(std::string_view frame);

}  // namespace varve::protocol::syslog
