// SPDX-License-Identifier: Apache-2.0
#include "tools/load/connection.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace varve::load {
namespace {

[[noreturn]] void fail(const char* what) { throw NetworkError(std::string(what) + ": " + std::strerror(errno)); }

// The value of a header, whatever its letter case; "" if absent.
std::string_view header(std::string_view head, std::string_view name) {
  const auto same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at + 2)) {
    const auto line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    if (line.size() > name.size() && line[name.size()] == ':' &&
        std::equal(name.begin(), name.end(), line.begin(), same)) {
      auto value = line.substr(name.size() + 1);
      value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
      return value;
    }
  }
  return {};
}

template <typename T>
T number(std::string_view text, T otherwise, int base = 10) {
  T value = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

}  // namespace

Address parse_address(std::string_view url) {
  if (url.starts_with("http://")) {
    url.remove_prefix(7);
  }
  Address address;
  const auto slash = url.find('/');
  if (slash != std::string_view::npos) {
    address.path = url.substr(slash);
    url = url.substr(0, slash);
  }
  const auto colon = url.rfind(':');
  if (colon == std::string_view::npos) {
    throw std::invalid_argument("an address needs host:port: " + std::string(url));
  }
  address.host = url.substr(0, colon);
  address.port = number<std::uint16_t>(url.substr(colon + 1), 0);
  if (address.port == 0) {
    throw std::invalid_argument("not a port: " + std::string(url));
  }
  return address;
}

Connection::Connection(const Address& address) : fd_(-1) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found) != 0) {
    throw NetworkError("unknown host " + address.host);
  }
  fd_ = socket(found->ai_family, SOCK_STREAM, 0);
  const bool connected = fd_ >= 0 && connect(fd_, found->ai_addr, found->ai_addrlen) == 0;
  freeaddrinfo(found);
  if (!connected) {
    if (fd_ >= 0) {
      close(fd_);
    }
    fail("connect");
  }
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Connection::~Connection() { close(fd_); }

// In pieces: a sender over loopback does the receiver's part, too, and a kernel that is not preemptible lets nobody
// else on this processor before the call is over.
void Connection::send(std::string_view bytes) {
  constexpr std::size_t kPieceBytes = 32UL << 10;
  while (!bytes.empty()) {
    const auto sent = ::send(fd_, bytes.data(), std::min(bytes.size(), kPieceBytes), MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) {
        continue;
      }
      fail("send");
    }
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void Connection::fill() {
  char piece[65536];
  ssize_t got = 0;
  do {
    got = recv(fd_, piece, sizeof piece, 0);
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    fail("receive");
  }
  if (got == 0) {
    throw NetworkError("the server closed the connection");
  }
  buffer_.append(piece, static_cast<std::size_t>(got));
}

void Connection::read_chunked(std::size_t begin) {
  for (;;) {
    std::size_t line_end = 0;
    while ((line_end = buffer_.find("\r\n", begin)) == std::string::npos) {
      fill();
    }
    const auto size = number<std::size_t>(std::string_view(buffer_).substr(begin, line_end - begin), 0, 16);
    begin = line_end + 2;
    while (buffer_.size() < begin + size + 2) {
      fill();
    }
    answer_.body.append(buffer_, begin, size);
    begin += size + 2;
    if (size == 0) {
      buffer_.erase(0, begin);
      return;
    }
  }
}

const Answer& Connection::receive() {
  std::size_t head_end = 0;
  while ((head_end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    fill();
  }
  const std::string head = buffer_.substr(0, head_end + 2);
  answer_.status = head.size() > 12 ? number(std::string_view(head).substr(9, 3), 0) : 0;
  answer_.retry_after_s = number(header(head, "retry-after"), 0);
  answer_.closes = header(head, "connection") == "close";
  answer_.body.clear();
  if (header(head, "transfer-encoding") == "chunked") {
    read_chunked(head_end + 4);
    return answer_;
  }
  const auto length = number<std::size_t>(header(head, "content-length"), 0);
  while (buffer_.size() < head_end + 4 + length) {
    fill();
  }
  answer_.body.assign(buffer_, head_end + 4, length);
  buffer_.erase(0, head_end + 4 + length);
  return answer_;
}

void Connection::finish() {
  shutdown(fd_, SHUT_WR);
  char piece[65536];
  for (;;) {
    const auto got = recv(fd_, piece, sizeof piece, 0);
    if (got == 0) {
      return;
    }
    if (got < 0 && errno != EINTR) {
      fail("receive");
    }
  }
}

}  // namespace varve::load
