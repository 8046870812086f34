// SPDX-License-Identifier: Apache-2.0
// A blocking TCP connection that sends prepared bytes and reads HTTP answers. No library, so that the load generator
// takes as little as possible of the two cores it shares with the server.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace varve::load {

struct Address {
  std::string host;
  std::uint16_t port = 0;
  std::string path;  // with the leading slash; "" if the URL had none
};

// "http://127.0.0.1:8080/x" or "127.0.0.1:4242"; throws std::invalid_argument.
Address parse_address(std::string_view url);

class NetworkError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Answer {
  int status = 0;
  std::string body;
  double retry_after_s = 0;
  bool closes = false;
};

class Connection {
 public:
  explicit Connection(const Address& address);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send(std::string_view bytes);
  // The next whole answer; the reference is valid until the next call.
  const Answer& receive();
  // Says that nothing more comes, and waits until the server has closed too.
  void finish();
  [[nodiscard]] int fd() const { return fd_; }

 private:
  void fill();  // at least one more byte
  void read_chunked(std::size_t begin);

  int fd_;
  std::string buffer_;  // received and not yet consumed
  Answer answer_;
};

}  // namespace varve::load
