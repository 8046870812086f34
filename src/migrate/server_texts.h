// SPDX-License-Identifier: Apache-2.0
// ServerTexts: what a KairosDB keeps beside its samples, written into a server that runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "migrate/kairosdb_source.h"
#include "migrate/server_call.h"

namespace varve::migrate {

struct TextTotals {
  std::uint64_t texts = 0;    // of the metadata service
  std::uint64_t tasks = 0;    // roll-up tasks that are new there
  std::uint64_t known = 0;    // tasks with a name that a task has there: left as they are
  std::uint64_t refused = 0;  // of both
};

// The text of each refused one, with its name and the server's reason.
using TextRefused = std::function<void(const std::string&)>;

// Blocking. Done again it changes nothing. Errors: the server does not answer; cancelled (stopping).
Result<TextTotals> copy_texts(std::span<const ServiceText> texts, const ServerCall& call,
                              const std::atomic<bool>& stopping, const TextRefused& refused);

}  // namespace varve::migrate
