// SPDX-License-Identifier: Apache-2.0
// For tests: a blocking TCP client that does exactly what it is told, good or bad.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace varve::net {

class TestClient {
 public:
  explicit TestClient(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{20, 0};  // a test that would hang fails instead
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  ~TestClient() { close(); }
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }
  [[nodiscard]] int descriptor() const { return fd_; }

  TestClient& send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) break;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return *this;
  }
  void close_sending() { ::shutdown(fd_, SHUT_WR); }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

  // Up to and with the first `mark`; "" if the connection ends before.
  std::string read_to(std::string_view mark) {
    for (;;) {
      if (const auto at = pending_.find(mark); at != std::string::npos) return take(at + mark.size());
      if (!fill()) return {};
    }
  }
  std::string read(std::size_t size) {
    while (pending_.size() < size && fill()) {
    }
    return take(std::min(size, pending_.size()));
  }
  std::string read_to_end() {
    while (fill()) {
    }
    return take(pending_.size());
  }

 private:
  bool fill() {
    char bytes[65536];
    const ssize_t n = ::recv(fd_, bytes, sizeof bytes, 0);
    if (n <= 0) return false;
    pending_.append(bytes, static_cast<std::size_t>(n));
    return true;
  }
  std::string take(std::size_t size) {
    std::string taken = pending_.substr(0, size);
    pending_.erase(0, size);
    return taken;
  }

  int fd_;
  bool connected_ = false;
  std::string pending_;
};

}  // namespace varve::net
