// SPDX-License-Identifier: Apache-2.0
#include "logs/syslog_sender.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "logs/times.h"

namespace varve::logs {
namespace {

constexpr std::size_t kDatagramTextMax = 60'000;
constexpr std::int64_t kUser = 1, kInfo = 6;

// A word of the header: printable, not too long, `-` if it is nothing.
std::string header_word(std::string_view text, std::size_t size_max) {
  std::string out(text.substr(0, size_max));
  std::ranges::replace_if(out, [](char c) { return c <= ' ' || c > '~'; }, '_');
  return out.empty() ? "-" : out;
}

}  // namespace

std::string syslog_message(const Row& row) {
  const std::int64_t level = number_cell(row, "Level", kInfo);
  const std::int64_t severity = level >= 0 && level <= 7 ? level : kInfo;
  std::string out = "<" + std::to_string(kUser * 8 + severity) + ">1 " + rfc3339_time(number_cell(row, "MessageTS", 0));
  out += ' ' + header_word(cell(row, "Source"), 255);
  out += ' ' + header_word(cell(row, "ModuleId"), 48);
  out += ' ' + header_word(cell(row, "Pid"), 128);
  out += ' ' + header_word(cell(row, "Messagetype"), 32);
  out += " - " + text_of(row, Format::text).substr(0, kDatagramTextMax);
  return out;
}

SyslogSender::~SyslogSender() {
  if (socket_ >= 0) ::close(socket_);
}

Status SyslogSender::open(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) {
    return fail(Code::unavailable, "the syslog server " + host + " is not known: " + ::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
  socket_ = ::socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, found->ai_protocol);
  if (socket_ >= 0 && ::connect(socket_, found->ai_addr, found->ai_addrlen) == 0) return {};
  return fail(Code::unavailable, "the syslog server " + host + " cannot be reached: " + std::strerror(errno));
}

Status SyslogSender::send(const Row& row) const {
  const std::string message = syslog_message(row);
  if (::send(socket_, message.data(), message.size(), MSG_NOSIGNAL) >= 0) return {};
  return fail(Code::io, std::string("cannot send to the syslog server: ") + std::strerror(errno));
}

}  // namespace varve::logs
