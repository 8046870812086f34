// SPDX-License-Identifier: Apache-2.0
// Counts the messages that varve holds, each once.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "migrate/message_sink.h"

namespace varve::migrate {

// From first_us to last_us, both inclusive. Errors: those of the store; cancelled.
Result<std::uint64_t> count_messages(const MessageTarget& target, std::int64_t first_us, std::int64_t last_us,
                                     const Clock& clock, const std::atomic<bool>& stopping);

}  // namespace varve::migrate
