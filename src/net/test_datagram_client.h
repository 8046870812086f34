// SPDX-License-Identifier: Apache-2.0
// For tests: sends datagrams to a port of this machine.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string_view>

namespace varve::net {

class TestDatagramClient {
 public:
  explicit TestDatagramClient(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_DGRAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  }
  ~TestDatagramClient() { ::close(fd_); }
  TestDatagramClient(const TestDatagramClient&) = delete;
  TestDatagramClient& operator=(const TestDatagramClient&) = delete;

  // True: it lies in the receiver's socket.
  bool send(std::string_view bytes) {
    return ::send(fd_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
  }

 private:
  int fd_;
};

}  // namespace varve::net
