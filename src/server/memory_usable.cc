// SPDX-License-Identifier: Apache-2.0
#include "server/memory_usable.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

namespace varve::server {

namespace {

// "max" and what cannot be read are no limit.
std::optional<std::uint64_t> number_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::uint64_t bytes = 0;
  if (in >> bytes) return bytes;
  return std::nullopt;
}

void take_less(std::optional<std::uint64_t>& least, std::optional<std::uint64_t> other) {
  if (other && (!least || *other < *least)) least = other;
}

}  // namespace

std::optional<std::uint64_t> memory_of_groups(const std::filesystem::path& root, std::string_view own) {
  std::optional<std::uint64_t> least;
  while (!own.empty()) {
    const std::string_view line = own.substr(0, own.find('\n'));
    own.remove_prefix(std::min(own.size(), line.size() + 1));
    // number:controllers:/path, where version 2 has no controllers.
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    const bool is_v2 = controllers == ",,";
    if (!is_v2 && controllers.find(",memory,") == controllers.npos) continue;
    const std::filesystem::path top = is_v2 ? root : root / "memory";
    std::filesystem::path below = std::filesystem::path(line.substr(second + 1)).relative_path().lexically_normal();
    // In a container the path may be that of the machine, which is not to be seen: then the top is its own group.
    for (;; below = below.parent_path()) {
      take_less(least, number_in(top / below / (is_v2 ? "memory.max" : "memory.limit_in_bytes")));
      if (below.empty()) break;
    }
  }
  return least;
}

std::uint64_t memory_usable() {
  const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  std::optional<std::uint64_t> least = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::ifstream file("/proc/self/cgroup");
  const std::string own{std::istreambuf_iterator<char>(file), {}};
  take_less(least, memory_of_groups("/sys/fs/cgroup", own));
  rlimit space{};
  if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) take_less(least, space.rlim_cur);
  return *least;
}

}  // namespace varve::server
