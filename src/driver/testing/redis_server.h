// SPDX-License-Identifier: Apache-2.0
// A redis-server of a test's own, on a free port of loopback; it ends with the test.
#pragma once

#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "driver/redis.h"
#include "driver/wait.h"

namespace varve::driver::testing {

inline int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0) return 0;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(fd);
  return ntohs(address.sin_port);
}

inline RedisOptions at(std::string url) {
  RedisOptions options;
  options.url = std::move(url);
  return options;
}

// Without persistence, unless its arguments say otherwise.
class RedisServer {
 public:
  explicit RedisServer(std::vector<std::string> arguments = {}) : arguments_(std::move(arguments)) { start(); }
  ~RedisServer() { kill(); }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  void start() {
    std::vector<std::string> words{
        "redis-server", "--port", std::to_string(port_), "--bind",    "127.0.0.1", "--save",  "",
        "--appendonly", "no",     "--logfile",           "/dev/null", "--dir",     directory_};
    words.insert(words.end(), arguments_.begin(), arguments_.end());
    std::vector<char*> raw;
    raw.reserve(words.size() + 1);
    for (auto& word : words) raw.push_back(word.data());
    raw.push_back(nullptr);
    const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing changes it
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The child has one thread. NOLINTNEXTLINE(concurrency-mt-unsafe)
    ::setenv("PATH", (std::string(path == nullptr ? "" : path) + ":/usr/bin:/usr/sbin").c_str(), 1);
    ::execvp(raw[0], raw.data());
    ::_exit(127);
  }

  void signal(int number) const { ::kill(pid_, number); }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

  [[nodiscard]] bool ended() const { return ::waitpid(pid_, nullptr, WNOHANG) != 0; }
  [[nodiscard]] RedisOptions options() const { return at("redis://127.0.0.1:" + std::to_string(port_)); }
  [[nodiscard]] int port() const { return port_; }

 private:
  const int port_ = free_port();
  std::string directory_ = std::filesystem::temp_directory_path();
  std::vector<std::string> arguments_;
  pid_t pid_ = 0;
};

inline Result<Redis> connect(const Runtime& runtime, const RedisOptions& options) {
  return wait<Redis>([&](Done<Redis> done) { Redis::connect(runtime, options, std::move(done)); });
}

// A server that was just started needs some milliseconds.
inline Result<Redis> connect_to(const Runtime& runtime, const RedisServer& server, const RedisOptions& options) {
  for (int attempt = 0; attempt < 200; ++attempt) {
    auto redis = connect(runtime, options);
    if (redis || redis.error().code != Code::io) return redis;
    if (server.ended()) return fail(Code::io, "redis-server ended; is it installed?");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return fail(Code::io, "redis-server does not answer");
}

}  // namespace varve::driver::testing
