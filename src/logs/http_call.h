// SPDX-License-Identifier: Apache-2.0
// One request to an HTTP server, whose answer is read piece by piece. It blocks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "logs/chunks.h"
#include "logs/tls_client.h"

namespace varve::logs {

struct Url {
  std::string host;  // without brackets
  std::string port;
  std::string path;         // in front of what is asked; no slash at its end
  std::string credentials;  // user:password; "": none
  bool tls = false;
  std::string ca = {};  // what a certificate is checked with, a PEM file; "": the system's
};
// http://[user:password@]host[:port][/path], https://…, or host:port. Error: invalid.
Result<Url> parse_url(std::string_view text);

struct Asked {
  std::string method = "POST";
  std::string path;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::chrono::seconds patience{0};   // for the next bytes; 0: for ever
  std::string url_flag = "--server";  // that names another server, for a person who reaches none
};

class HttpCall {
 public:
  HttpCall() = default;
  ~HttpCall();
  HttpCall(const HttpCall&) = delete;
  HttpCall& operator=(const HttpCall&) = delete;

  // Sends it and reads the head of the answer. Errors: unavailable (no connection), timeout, io, invalid (no HTTP).
  Status ask(const Url& url, const Asked& asked);
  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] const std::string& content_type() const { return content_type_; }  // lower case, no parameters

  // Appends what has come of the body, at least a byte. False: that was all. Errors: io (it was cut off), timeout,
  // invalid.
  Result<bool> read(std::string& body);

 private:
  Status connect(const Url& url, const std::string& url_flag);
  Status begin_tls(const Url& url);
  Status send(std::string_view bytes);
  Status send_plain(std::string_view bytes) const;
  Result<bool> receive();  // into pending_; false: the connection has ended
  Result<bool> receive_plain(std::string& bytes);
  Status read_head();
  Status take_head(std::string_view head);

  int socket_ = -1;
  std::string place_;  // for errors
  std::optional<TlsClient> tls_;
  std::string pending_;
  int status_ = 0;
  std::string content_type_;
  enum class Length : std::uint8_t { to_the_end, counted, chunked } length_ = Length::to_the_end;
  std::uint64_t left_ = 0;
  Chunks chunks_;
};

struct Answer {
  int status = 0;
  std::string body;
};
// Asks and reads all of the answer. Errors: those of the call; too_large (more than `bytes_max`).
Result<Answer> ask_whole(const Url& url, const Asked& asked, std::size_t bytes_max);

}  // namespace varve::logs
