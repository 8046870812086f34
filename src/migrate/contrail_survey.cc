// SPDX-License-Identifier: Apache-2.0
#include "migrate/contrail_survey.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/mutex.h"
#include "base/parallel.h"
#include "migrate/token_ranges.h"

namespace varve::migrate {
namespace {

constexpr unsigned kSlotBits = 23;  // a slot is 2^23 µs

void count_slot(std::string_view key, std::int64_t kept_from_us, ContrailSurvey& out) {
  if (key.size() != sizeof(std::uint32_t)) return;
  const std::int64_t begin_us = std::int64_t{load_be32(key.data())} << kSlotBits;
  ++out.slots;
  out.old += begin_us + (std::int64_t{1} << kSlotBits) <= kept_from_us ? 1 : 0;
  out.first_us = out.slots == 1 ? begin_us : std::min(out.first_us, begin_us);
}

}  // namespace

Result<ContrailSurvey> survey(const ContrailSource& source, std::int64_t kept_from_us, TaskPool& pool,
                              std::size_t threads, const std::atomic<bool>& stopping) {
  Mutex mutex;
  ContrailSurvey all;
  for (const auto table : {ContrailTable::v1, ContrailTable::v2}) {
    if (!source.has_slots(table)) continue;
    VARVE_RETURN_IF_ERROR(in_parallel(pool, threads - 1, kRanges, [&](std::size_t range) -> Status {
      ContrailSurvey mine;
      Pages pages = source.slots(table, range, stopping);
      for (;;) {
        VARVE_ASSIGN_OR_RETURN(const driver::Rows* const page, pages.next());
        if (page == nullptr) break;
        for (std::size_t i = 0; i < page->count(); ++i) count_slot(page->row(i)[0].bytes(), kept_from_us, mine);
      }
      const MutexLock lock(mutex);
      if (mine.slots > 0) all.first_us = all.slots == 0 ? mine.first_us : std::min(all.first_us, mine.first_us);
      all.slots += mine.slots;
      all.old += mine.old;
      return {};
    }));
  }
  return all;
}

}  // namespace varve::migrate
