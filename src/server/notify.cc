// SPDX-License-Identifier: Apache-2.0
#include "server/notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/log.h"

namespace varve::server {

void notify_service_manager(std::string_view state) {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || path[0] == '\0') return;
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  const std::size_t size = std::strlen(path);
  if (size >= sizeof to.sun_path) return log::warn("NOTIFY_SOCKET is too long", {{"path", path}});
  std::memcpy(to.sun_path, path, size);
  if (path[0] == '@') to.sun_path[0] = '\0';  // in the abstract name space
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + size);
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const bool sent = socket >= 0 && ::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL,
                                            reinterpret_cast<const sockaddr*>(&to), bytes) >= 0;
  if (!sent) log::warn("systemd is not told", {{"state", state}, {"error", std::strerror(errno)}});
  if (socket >= 0) ::close(socket);
}

}  // namespace varve::server
