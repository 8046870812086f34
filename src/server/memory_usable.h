// SPDX-License-Identifier: Apache-2.0
// How much memory this process may use, by all that limits it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace varve::server {

// Bytes: the least of the machine's memory, the limits of its control groups and RLIMIT_AS.
std::uint64_t memory_usable();

// The least limit of the control groups that `own`, the text of /proc/self/cgroup, names, and of those above them.
// `root`: where they are mounted. nullopt: there is none. Version 2 and version 1.
std::optional<std::uint64_t> memory_of_groups(const std::filesystem::path& root, std::string_view own);

}  // namespace varve::server
