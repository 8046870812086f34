// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/engine.h"

#include <sys/random.h>

#include <cstdlib>

namespace varve::snmp::session {
namespace {

constexpr std::uint32_t kBootsUsedUp = 0x7fffffff;  // then nothing is timely any more
constexpr std::int64_t kWindowSeconds = 150;
constexpr std::int64_t kNsPerSecond = 1'000'000'000;

std::uint64_t random_salt() {
  std::uint64_t salt = 0;
  static_cast<void>(::getrandom(&salt, sizeof salt, 0));
  return salt;
}

}  // namespace

Engine::Engine(std::string id, std::uint32_t boots, const Clock& clock)
    : id_(std::move(id)), boots_(boots), clock_(clock), began_ns_(clock.steady_ns()), salt_(random_salt()) {}

std::uint32_t Engine::time() const {
  return static_cast<std::uint32_t>((clock_.steady_ns() - began_ns_) / kNsPerSecond) & 0x7fffffff;
}

bool Engine::is_timely(std::uint32_t boots, std::uint32_t time) const {
  if (boots != boots_ || boots_ >= kBootsUsedUp) return false;
  return std::abs(std::int64_t{time} - std::int64_t{this->time()}) <= kWindowSeconds;
}

}  // namespace varve::snmp::session
