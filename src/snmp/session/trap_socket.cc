// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/trap_socket.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace varve::snmp::session {
namespace {

constexpr int kDatagramsMax = 64;  // of one round of the loop
constexpr std::size_t kBytesMax = 65'535;

}  // namespace

Result<std::unique_ptr<TrapSocket>> TrapSocket::open(const Peer& at, Ear ear) {
  const int descriptor = ::socket(at.family(), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return fail(Code::io, "no socket: " + std::string(std::strerror(errno)));
  auto made = std::make_unique<TrapSocket>(descriptor, std::move(ear));
  if (::bind(descriptor, at.get(), at.size) == 0) return made;
  const int why = errno;
  return fail(why == EADDRINUSE ? Code::conflict : Code::io, std::strerror(why));
}

TrapSocket::~TrapSocket() { ::close(descriptor_); }

std::uint16_t TrapSocket::port() const {
  Peer at;
  at.size = sizeof at.address;
  if (::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&at.address), &at.size) != 0) return 0;
  return ntohs(at.address.sin6_port);  // where IPv4 has it, too
}

void TrapSocket::on_readable() {
  std::array<char, kBytesMax> bytes;
  for (int i = 0; i < kDatagramsMax; ++i) {
    Peer from;
    from.size = sizeof from.address;
    const ssize_t size =
        ::recvfrom(descriptor_, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&from.address), &from.size);
    if (size < 0) return;
    const std::string answer = ear_(from, {bytes.data(), static_cast<std::size_t>(size)});
    if (!answer.empty()) send(from, answer);
  }
}

void TrapSocket::send(const Peer& to, std::string_view datagram) const {
  static_cast<void>(::sendto(descriptor_, datagram.data(), datagram.size(), 0, to.get(), to.size));
}

}  // namespace varve::snmp::session
