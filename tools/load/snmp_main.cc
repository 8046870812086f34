// SPDX-License-Identifier: Apache-2.0
// varve-snmp-agent: thousands of SNMP agents behind one UDP port, which answer fast, and lie as they are told to.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>

#include "tools/load/snmp_agent.h"

namespace {

using namespace varve::load;

constexpr std::string_view kUsage = R"(varve-snmp-agent: many SNMP agents (v1, v2c) behind one UDP port.

  --listen=ADDRESS:PORT   (127.0.0.1:0: any free port, which is printed); 0.0.0.0: every 127.x.y.z is a device
  --devices=N             numbered from 0: the number behind the last '-' of the community (dev-17), else
                          the last three bytes of the address that was asked, 127.0.0.1 being 0  (1)
  --interfaces=N          of each                                         (10)
  --bytes=N               an answer's size at most                        (1400)
  --since=MS              when all of them booted with counters of 0      (now)
  --tell=COMMAND          as if it came on the standard input; can be given more than once

It prints "listening on ADDRESS:PORT", then one line for each command that it reads from its standard input, and
"requests answers objects cpu_s" of all when it is ended by SIGTERM. Commands:

)";

constexpr std::size_t kBatch = 64, kDatagramBytes = 2048;
volatile std::sig_atomic_t ended = 0;

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void must(bool good, const char* what) {
  if (!good) throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
}

// Room for IP_PKTINFO, which says what address was asked, and from which one to answer.
struct alignas(cmsghdr) Control {
  std::array<char, CMSG_SPACE(sizeof(in_pktinfo))> bytes{};
};

struct Slot {
  sockaddr_in peer{};
  Control control;
  std::array<std::uint8_t, kDatagramBytes> in{};
  BerWriter out;
  iovec in_part{}, out_part{};
};

// An answer that waits for its time.
struct Late {
  sockaddr_in peer{};
  Control control;
  std::string bytes;
};

class Loop {
 public:
  Loop(SnmpAgent& agent, int socket) : agent_(agent), socket_(socket), slots_(kBatch) {}

  void run() {
    while (ended == 0) {
      std::array<pollfd, 2> watched{{{socket_, POLLIN, 0}, {commands_open_ ? STDIN_FILENO : -1, POLLIN, 0}}};
      if (poll(watched.data(), watched.size(), wait_ms()) < 0) continue;
      if (watched[1].revents != 0) read_commands();
      if (watched[0].revents != 0) read_datagrams();
      send_late();
    }
  }

 private:
  [[nodiscard]] int wait_ms() const {
    if (late_.empty()) return 1000;  // a signal may come just before the wait
    return static_cast<int>(std::clamp<std::int64_t>(late_.begin()->first - now_ms(), 0, 1000));
  }

  void read_datagrams() {
    std::array<mmsghdr, kBatch> received{}, answers{};
    for (std::size_t i = 0; i < kBatch; ++i) {
      Slot& slot = slots_[i];
      slot.in_part = {slot.in.data(), slot.in.size()};
      received[i].msg_hdr = {
          &slot.peer, sizeof slot.peer, &slot.in_part, 1, slot.control.bytes.data(), sizeof slot.control.bytes, 0};
    }
    const int got = recvmmsg(socket_, received.data(), kBatch, MSG_DONTWAIT, nullptr);
    const std::int64_t now = now_ms();
    std::size_t count = 0;
    for (int i = 0; i < got; ++i) {
      Slot& slot = slots_[static_cast<std::size_t>(i)];
      const msghdr& header = received[static_cast<std::size_t>(i)].msg_hdr;
      const auto delivery = agent_.answer(std::span(slot.in).first(received[static_cast<std::size_t>(i)].msg_len),
                                          addressed(header), now, slot.out);
      if (delivery.copies == 0) continue;
      if (delivery.delay_ms > 0 || delivery.copies > 1) {
        keep(slot, delivery, now);
        continue;
      }
      slot.out_part = {const_cast<std::uint8_t*>(slot.out.bytes().data()), slot.out.size()};
      answers[count++].msg_hdr = {
          &slot.peer, sizeof slot.peer, &slot.out_part, 1, header.msg_control, header.msg_controllen, 0};
    }
    for (std::size_t sent = 0; sent < count;) {
      const int more = sendmmsg(socket_, answers.data() + sent, static_cast<unsigned>(count - sent), 0);
      if (more <= 0) break;  // the network is full: as lost as any other datagram
      sent += static_cast<std::size_t>(more);
    }
  }

  // 127.0.0.1 is 0.
  static std::uint32_t addressed(const msghdr& header) {
    const cmsghdr* control = CMSG_FIRSTHDR(&header);
    if (control == nullptr || control->cmsg_type != IP_PKTINFO) return 0;
    in_pktinfo info{};
    std::memcpy(&info, CMSG_DATA(control), sizeof info);
    return (ntohl(info.ipi_addr.s_addr) & 0xffffff) - 1;
  }

  void keep(const Slot& slot, const Delivery& delivery, std::int64_t now) {
    const auto bytes = slot.out.bytes();
    for (std::uint64_t i = 0; i < delivery.copies; ++i) {
      late_.emplace(now + static_cast<std::int64_t>(delivery.delay_ms),
                    Late{slot.peer, slot.control, std::string(bytes.begin(), bytes.end())});
    }
  }

  void send_late() {
    while (!late_.empty() && late_.begin()->first <= now_ms()) {
      Late& late = late_.begin()->second;
      iovec part{late.bytes.data(), late.bytes.size()};
      const msghdr header{&late.peer, sizeof late.peer, &part, 1, late.control.bytes.data(), sizeof late.control.bytes,
                          0};
      sendmsg(socket_, &header, 0);
      late_.erase(late_.begin());
    }
  }

  void read_commands() {
    std::array<char, 4096> piece{};
    const auto size = read(STDIN_FILENO, piece.data(), piece.size());
    commands_open_ = size > 0;
    if (size <= 0) return;
    typed_.append(piece.data(), static_cast<std::size_t>(size));
    for (auto end = typed_.find('\n'); end != std::string::npos; end = typed_.find('\n')) {
      fmt::print("{}\n", agent_.command(std::string_view(typed_).substr(0, end), now_ms()));
      std::fflush(stdout);
      typed_.erase(0, end + 1);
    }
  }

  SnmpAgent& agent_;
  int socket_;
  std::vector<Slot> slots_;
  std::multimap<std::int64_t, Late> late_;  // by the time when they are sent
  std::string typed_;
  bool commands_open_ = true;
};

int listen_on(std::string_view where) {
  const auto colon = where.rfind(':');
  sockaddr_in address{};
  address.sin_family = AF_INET;
  const std::string host(where.substr(0, colon));
  if (colon == std::string_view::npos || inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) {
    throw std::invalid_argument(fmt::format("--listen={}: ADDRESS:PORT is expected", where));
  }
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoul(std::string(where.substr(colon + 1)))));
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  must(fd >= 0, "socket");
  const int yes = 1, room = 32 << 20;
  must(setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &yes, sizeof yes) == 0, "IP_PKTINFO");
  // A whole burst has room: what gets lost should be a lie. Without the right to it, what the system allows.
  for (const int option : {SO_RCVBUFFORCE, SO_SNDBUFFORCE, SO_RCVBUF, SO_SNDBUF}) {
    if (setsockopt(fd, SOL_SOCKET, option, &room, sizeof room) == 0 && option == SO_SNDBUFFORCE) break;
  }
  must(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "bind");
  socklen_t size = sizeof address;
  must(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0, "getsockname");
  fmt::print("listening on {}:{}\n", host, ntohs(address.sin_port));
  std::fflush(stdout);
  return fd;
}

double cpu_s() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

int run(const std::vector<std::string_view>& arguments) {
  AgentOptions options;
  options.since_ms = now_ms();
  std::string listen = "127.0.0.1:0";
  std::vector<std::string_view> commands;
  for (const auto argument : arguments) {
    const auto equals = argument.find('=');
    const auto key = argument.substr(0, equals);
    const std::string value(equals == std::string_view::npos ? "" : argument.substr(equals + 1));
    if (key == "--listen") {
      listen = value;
    } else if (key == "--devices") {
      options.devices = static_cast<std::uint32_t>(std::stoul(value));
    } else if (key == "--interfaces") {
      options.interfaces = static_cast<std::uint32_t>(std::stoul(value));
    } else if (key == "--bytes") {
      options.bytes_max = std::stoul(value);
    } else if (key == "--since") {
      options.since_ms = std::stoll(value);
    } else if (key == "--tell") {
      commands.push_back(argument.substr(equals + 1));
    } else {
      throw std::invalid_argument(fmt::format("unknown flag {}; see --help", argument));
    }
  }
  if (options.devices == 0 || options.interfaces == 0 || options.bytes_max > 60'000) {
    throw std::invalid_argument("--devices and --interfaces are at least 1, --bytes at most 60000");
  }
  SnmpAgent agent(options);
  for (const auto command : commands) {
    const auto said = agent.command(command, now_ms());
    if (said.starts_with("error")) throw std::invalid_argument(said);
  }
  Loop(agent, listen_on(listen)).run();
  const auto stats = agent.command("* stats", now_ms());
  fmt::print("{} {:.2f}\n", stats.substr(stats.find(' ', 3) + 1), cpu_s());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && (arguments[0] == "--help" || arguments[0] == "-h")) {
    fmt::print("{}{}", kUsage, kSnmpCommands);
    return 0;
  }
  for (const int signal : {SIGTERM, SIGINT}) {
    struct sigaction action{};  // without SA_RESTART, so that it ends the wait
    action.sa_handler = [](int) { ended = 1; };
    sigaction(signal, &action, nullptr);
  }
  try {
    return run(arguments);
  } catch (const std::logic_error& error) {
    fmt::print(stderr, "varve-snmp-agent: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "varve-snmp-agent: {}\n", error.what());
    return 1;
  }
}
