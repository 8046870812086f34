// SPDX-License-Identifier: Apache-2.0
#include "migrate/message_count.h"

#include <chrono>

#include "query/messages/message_counts.h"

namespace varve::migrate {

Result<std::uint64_t> count_messages(const MessageTarget& target, std::int64_t first_us, std::int64_t last_us,
                                     const Clock& clock, const std::atomic<bool>& stopping) {
  query::Limits limits;
  limits.timeout = std::chrono::hours(24);
  const query::Deadline deadline(clock, limits, &stopping);
  const query::MessageSearch all{.tenant = target.tenant, .first_us = first_us, .last_us = last_us, .condition = {}};
  std::uint64_t held = 0;
  VARVE_RETURN_IF_ERROR(
      query::count_groups(target.store, all, {}, deadline, [&](message::RowView, std::uint64_t times) {
        held += times;
        return Status();
      }));
  return held;
}

}  // namespace varve::migrate
