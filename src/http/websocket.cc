// SPDX-License-Identifier: Apache-2.0
#include "http/websocket.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/check.h"

namespace varve::http {
namespace {

constexpr std::string_view kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr std::size_t kKeySize = 24;  // of 16 bytes, in base 64
constexpr unsigned kFinal = 0x80, kReserved = 0x70, kMasked = 0x80, kLength2 = 126, kLength8 = 127;
constexpr std::size_t kControlMax = 125;
constexpr std::size_t kMaskBytes = 4;

unsigned byte_of(char c) { return static_cast<unsigned char>(c); }

// RFC 3174. The handshake demands it; it protects nothing.
std::array<std::uint32_t, 5> sha1_of(std::string text) {
  const std::uint64_t bits = text.size() * 8;
  text += '\x80';
  while (text.size() % 64 != 56) text += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>(bits >> shift);
  std::array<std::uint32_t, 5> hash{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  for (std::size_t at = 0; at < text.size(); at += 64) {
    std::array<std::uint32_t, 80> words{};
    for (std::size_t i = 0; i < 64; ++i) words[i / 4] = words[i / 4] << 8 | byte_of(text[at + i]);
    for (std::size_t i = 16; i < 80; ++i) {
      words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    }
    auto [a, b, c, d, e] = hash;
    for (std::size_t i = 0; i < 80; ++i) {
      const std::uint32_t f = i < 20 ? (b & c) | (~b & d) : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
      constexpr std::array<std::uint32_t, 4> kRounds{0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
      const std::uint32_t next = std::rotl(a, 5) + f + e + kRounds[i / 20] + words[i];
      e = d;
      d = c;
      c = std::rotl(b, 30);
      b = a;
      a = next;
    }
    hash[0] += a;
    hash[1] += b;
    hash[2] += c;
    hash[3] += d;
    hash[4] += e;
  }
  return hash;
}

std::string bytes_of(const std::array<std::uint32_t, 5>& words) {
  std::string bytes;
  for (const std::uint32_t word : words) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift);
  }
  return bytes;
}

bool lists(std::string_view header, std::string_view wanted) {
  const std::string all = lower(header);
  for (std::string_view rest = all; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    if (trimmed(rest.substr(0, end)) == wanted) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

bool is_control(unsigned kind) { return (kind & 8) != 0; }

}  // namespace

Result<Response> accept_websocket(const Request& request) {
  if (request.method != Method::get || !lists(request.header("upgrade"), "websocket") ||
      !lists(request.header("connection"), "upgrade")) {
    return fail(Code::invalid, "this path speaks WebSocket: a GET with Upgrade: websocket and Connection: Upgrade");
  }
  if (request.header("sec-websocket-version") != "13") {
    return fail(Code::invalid, "the request needs the header Sec-WebSocket-Version: 13");
  }
  const std::string_view key = request.header("sec-websocket-key");
  if (key.size() != kKeySize) return fail(Code::invalid, "the request has no good header Sec-WebSocket-Key");
  Response response = Response::empty(101);
  response.headers = {{"Upgrade", "websocket"},
                      {"Connection", "Upgrade"},
                      {"Sec-WebSocket-Accept", to_base64(bytes_of(sha1_of(std::string(key) + std::string(kGuid))))}};
  return response;
}

void append_frame(std::string& out, FrameKind kind, std::string_view payload) {
  out += static_cast<char>(kFinal | static_cast<unsigned>(kind));
  const std::size_t size = payload.size();
  if (size < kLength2) {
    out += static_cast<char>(size);
  } else {
    const bool is_short = size <= 0xffff;
    out += static_cast<char>(is_short ? kLength2 : kLength8);
    for (int shift = is_short ? 8 : 56; shift >= 0; shift -= 8) out += static_cast<char>(size >> shift);
  }
  out += payload;
}

void append_close_frame(std::string& out, CloseCode code, std::string_view why) {
  std::string payload;
  payload += static_cast<char>(static_cast<unsigned>(code) >> 8);
  payload += static_cast<char>(code);
  payload += why.substr(0, kControlMax - 2);
  append_frame(out, FrameKind::close, payload);
}

// 0: not known yet.
std::size_t FrameReader::head_size() const {
  if (frame_.size() < 2) return 0;
  const unsigned length = byte_of(frame_[1]) & ~kMasked;
  return 2 + (length == kLength2 ? 2 : length == kLength8 ? 8 : 0) + kMaskBytes;
}

std::size_t FrameReader::payload_size() const {
  const unsigned length = byte_of(frame_[1]) & ~kMasked;
  if (length < kLength2) return length;
  std::uint64_t size = 0;
  for (std::size_t i = 2; i < head_size() - kMaskBytes; ++i) size = size << 8 | byte_of(frame_[i]);
  return static_cast<std::size_t>(size);
}

std::optional<CloseCode> FrameReader::check_head() const {
  const unsigned first = byte_of(frame_[0]), kind = first & 15, length = byte_of(frame_[1]) & ~kMasked;
  const bool is_known = kind <= 2 || (kind >= 8 && kind <= 10);
  if ((first & kReserved) != 0 || !is_known || (byte_of(frame_[1]) & kMasked) == 0) return CloseCode::protocol_error;
  if (is_control(kind) && ((first & kFinal) == 0 || length > kControlMax)) return CloseCode::protocol_error;
  return std::nullopt;
}

std::optional<CloseCode> FrameReader::read(std::string_view bytes, const Sink& sink) {
  const auto take = [&](std::size_t wanted) {  // true: the frame has so many bytes
    const std::size_t more = std::min(bytes.size(), wanted - std::min(wanted, frame_.size()));
    frame_ += bytes.substr(0, more);
    bytes.remove_prefix(more);
    return frame_.size() >= wanted;
  };
  while (take(2)) {
    if (const auto wrong = check_head()) return wrong;
    if (!take(head_size())) return std::nullopt;
    const std::size_t size = payload_size();
    if (size > kPayloadMax) return CloseCode::too_large;
    if (!take(head_size() + size)) return std::nullopt;
    const std::size_t begin = head_size();
    for (std::size_t i = 0; i < size; ++i) {
      frame_[begin + i] = static_cast<char>(frame_[begin + i] ^ frame_[begin - kMaskBytes + i % kMaskBytes]);
    }
    sink(static_cast<FrameKind>(byte_of(frame_[0]) & 15), std::string_view(frame_).substr(begin));
    frame_.clear();
  }
  return std::nullopt;
}

}  // namespace varve::http
