// SPDX-License-Identifier: Apache-2.0
#include "logs/http_call.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include "base/base64.h"

namespace varve::logs {
namespace {

constexpr std::size_t kHeadBytesMax = 64UL << 10;
constexpr std::size_t kReadBytes = 64UL << 10;
constexpr std::chrono::seconds kConnectPatience{10};

void set_patience(int socket, std::chrono::seconds time) {
  const timeval value{time.count(), 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value);
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &value, sizeof value);
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; });
  return out;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  const auto bad = [&](const std::string& why) {
    return fail(Code::invalid, "\"" + std::string(text) + "\": " + why + "; write http://HOST:PORT or https://HOST");
  };
  std::string_view rest = text;
  Url out{.host = {}, .port = "80", .path = {}, .credentials = {}};
  if (const std::size_t scheme = rest.find("://"); scheme != std::string_view::npos) {
    const std::string name = lower(rest.substr(0, scheme));
    if (name != "http" && name != "https") return bad("only http and https are spoken");
    out.tls = name == "https";
    if (out.tls) out.port = "443";
    rest.remove_prefix(scheme + 3);
  }
  const std::size_t slash = rest.find('/');
  if (slash != std::string_view::npos) out.path = rest.substr(slash);
  while (out.path.ends_with('/')) out.path.pop_back();
  rest = rest.substr(0, slash);
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    out.credentials = rest.substr(0, at);
    rest.remove_prefix(at + 1);
  }
  const std::size_t colon = rest.rfind(':');
  const bool has_port = colon != std::string_view::npos && rest.find(']', colon) == std::string_view::npos;
  if (has_port) {
    out.port = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
    unsigned port = 0;
    const auto read = std::from_chars(out.port.data(), out.port.data() + out.port.size(), port);
    if (read.ec != std::errc() || read.ptr != out.port.data() + out.port.size() || port == 0 || port > 65535) {
      return bad("the port is none");
    }
  }
  if (rest.starts_with('[') && rest.ends_with(']')) rest = rest.substr(1, rest.size() - 2);
  if (rest.empty()) return bad("the host is missing");
  if (text.find_first_of(" \t\r\n") != std::string_view::npos) return bad("there is a blank in it");
  out.host = rest;
  return out;
}

HttpCall::~HttpCall() {
  if (socket_ >= 0) ::close(socket_);
}

Status HttpCall::connect(const Url& url, const std::string& url_flag) {
  place_ = (url.host.find(':') == std::string::npos ? url.host : "[" + url.host + "]") + ":" + url.port;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(url.host.c_str(), url.port.c_str(), &hints, &found); error != 0) {
    return fail(Code::unavailable, "the host " + url.host + " is not known: " + ::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
  int error = 0;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    socket_ = ::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
    if (socket_ < 0) continue;
    set_patience(socket_, kConnectPatience);
    if (::connect(socket_, one->ai_addr, one->ai_addrlen) == 0) return {};
    error = errno == EINPROGRESS ? ETIMEDOUT : errno;
    ::close(socket_);
    socket_ = -1;
  }
  return fail(Code::unavailable, "cannot connect to " + place_ + ": " + std::strerror(error) +
                                     "; is the server running? " + url_flag + " names another");
}

// Like connecting, it takes ten seconds at most.
Status HttpCall::begin_tls(const Url& url) {
  const auto told = [&](const Error& error) { return fail(error.code, place_ + ": " + error.message); };
  tls_.emplace();
  if (const Status opened = tls_->open(url.host, url.ca); !opened) return opened;
  for (;;) {
    const auto done = tls_->shake();
    VARVE_RETURN_IF_ERROR(send_plain(tls_->take_outgoing()));
    if (!done) return told(done.error());
    if (*done) return {};
    std::string bytes;
    VARVE_ASSIGN_OR_RETURN(const bool more, receive_plain(bytes));
    if (!more) return fail(Code::invalid, place_ + " ended the connection while TLS began: does it speak https?");
    tls_->put_incoming(bytes);
  }
}

Status HttpCall::send(std::string_view bytes) {
  if (!tls_) return send_plain(bytes);
  VARVE_RETURN_IF_ERROR(tls_->write(bytes));
  return send_plain(tls_->take_outgoing());
}

Result<bool> HttpCall::receive() {
  if (!tls_) return receive_plain(pending_);
  const std::size_t had = pending_.size();
  for (;;) {
    VARVE_ASSIGN_OR_RETURN(const bool open, tls_->read(pending_));
    VARVE_RETURN_IF_ERROR(send_plain(tls_->take_outgoing()));
    if (pending_.size() > had) return true;
    if (!open) return false;
    std::string bytes;
    VARVE_ASSIGN_OR_RETURN(const bool more, receive_plain(bytes));
    if (!more) return false;
    tls_->put_incoming(bytes);
  }
}

Status HttpCall::send_plain(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(Code::io, "cannot send to " + place_ + ": " + std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<bool> HttpCall::receive_plain(std::string& bytes) {
  const std::size_t had = bytes.size();
  bytes.resize(had + kReadBytes);
  ssize_t n = 0;
  while ((n = ::recv(socket_, bytes.data() + had, kReadBytes, 0)) < 0 && errno == EINTR) {
  }
  const int error = errno;
  bytes.resize(had + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  if (n >= 0) return n > 0;
  if (error == EAGAIN) return fail(Code::timeout, place_ + " does not answer");
  return fail(Code::io, "the connection to " + place_ + " broke: " + std::strerror(error));
}

Status HttpCall::ask(const Url& url, const Asked& asked) {
  VARVE_RETURN_IF_ERROR(connect(url, asked.url_flag));
  if (url.tls) VARVE_RETURN_IF_ERROR(begin_tls(url));
  set_patience(socket_, asked.patience);
  std::string head = asked.method + " " + url.path + asked.path + " HTTP/1.1\r\nHost: " + place_ +
                     "\r\nConnection: close\r\n" + "Content-Length: " + std::to_string(asked.body.size()) + "\r\n";
  if (!url.credentials.empty()) head += "Authorization: Basic " + to_base64(url.credentials) + "\r\n";
  for (const auto& [name, value] : asked.headers) head.append(name).append(": ").append(value).append("\r\n");
  VARVE_RETURN_IF_ERROR(send(head + "\r\n" + asked.body));
  return read_head();
}

Status HttpCall::read_head() {
  for (;;) {
    const std::size_t end = pending_.find("\r\n\r\n");
    if (end != std::string::npos) {
      const std::string head = pending_.substr(0, end + 2);
      pending_.erase(0, end + 4);
      VARVE_RETURN_IF_ERROR(take_head(head));
      if (status_ >= 200) return {};
      continue;  // 100 and the like
    }
    if (pending_.size() > kHeadBytesMax) return fail(Code::invalid, place_ + " does not answer as HTTP has it");
    VARVE_ASSIGN_OR_RETURN(const bool more, receive());
    if (!more) return fail(Code::io, place_ + " closed the connection without an answer");
  }
}

Status HttpCall::take_head(std::string_view head) {
  const auto no_http = [&] { return fail(Code::invalid, place_ + " does not answer as HTTP has it"); };
  if (!head.starts_with("HTTP/1.") || head.size() < 12 || head[8] != ' ') return no_http();
  if (std::from_chars(head.data() + 9, head.data() + 12, status_).ptr != head.data() + 12) return no_http();
  length_ = Length::to_the_end;
  head.remove_prefix(std::min(head.find("\r\n") + 2, head.size()));
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(line.size() + 2);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return no_http();
    const std::string name = lower(line.substr(0, colon));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (name == "content-type") content_type_ = lower(trimmed(value.substr(0, value.find(';'))));
    if (name == "transfer-encoding") {
      if (lower(value) != "chunked") return no_http();
      length_ = Length::chunked;
    }
    if (name == "content-length" && length_ != Length::chunked) {
      const auto read = std::from_chars(value.data(), value.data() + value.size(), left_);
      if (value.empty() || read.ec != std::errc() || read.ptr != value.data() + value.size()) return no_http();
      length_ = Length::counted;
    }
  }
  return {};
}

Result<bool> HttpCall::read(std::string& body) {
  const std::size_t had = body.size();
  for (;;) {
    if (length_ == Length::chunked) {
      VARVE_RETURN_IF_ERROR(chunks_.take(pending_, body));
      pending_.clear();
      if (body.size() > had) return true;
      if (chunks_.ended()) return false;
    } else {
      const bool counted = length_ == Length::counted;
      const std::size_t size =
          counted ? static_cast<std::size_t>(std::min<std::uint64_t>(left_, pending_.size())) : pending_.size();
      body.append(pending_, 0, size);
      pending_.clear();
      if (counted) left_ -= size;
      if (size > 0) return true;
      if (counted && left_ == 0) return false;
    }
    VARVE_ASSIGN_OR_RETURN(const bool more, receive());
    if (more) continue;
    if (length_ == Length::to_the_end) return false;
    return fail(Code::io, place_ + " ended the connection in the middle of its answer");
  }
}

Result<Answer> ask_whole(const Url& url, const Asked& asked, std::size_t bytes_max) {
  HttpCall call;
  VARVE_RETURN_IF_ERROR(call.ask(url, asked));
  Answer answer{.status = call.status(), .body = {}};
  for (bool more = answer.status != 204; more;) {
    VARVE_ASSIGN_OR_RETURN(more, call.read(answer.body));
    if (answer.body.size() > bytes_max) return fail(Code::too_large, "the answer is too large");
  }
  return answer;
}

}  // namespace varve::logs
