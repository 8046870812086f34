// SPDX-License-Identifier: Apache-2.0
// ContrailSurvey: from when the messages are, before one is read: the partitions' keys say it.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/result.h"
#include "base/task_pool.h"
#include "migrate/contrail_source.h"

namespace varve::migrate {

struct ContrailSurvey {
  std::uint64_t slots = 0;    // partitions, each of 8.4 seconds
  std::uint64_t old = 0;      // of them: all their messages are before `kept_from_us`
  std::int64_t first_us = 0;  // of the first slot; 0: there is none
};

// Of the tables whose partitions are by time. Errors: those of Cassandra; cancelled.
Result<ContrailSurvey> survey(const ContrailSource& source, std::int64_t kept_from_us, TaskPool& pool,
                              std::size_t threads, const std::atomic<bool>& stopping);

}  // namespace varve::migrate
