// SPDX-License-Identifier: Apache-2.0
#include "task/backfill_time.h"

#include "model/time_scanner.h"

namespace varve::task {

Result<model::Timestamp> backfill_time(std::string_view text) {
  model::TimeScanner in(text);
  const auto day = in.date('-');
  std::int64_t hour = 0;
  std::int64_t minute = 0;
  std::int64_t second = 0;
  std::int64_t ms = 0;
  const bool good = day && in.take('-') && in.number(2, 2, hour) && in.take('-') && in.number(2, 2, minute) &&
                    in.take('-') && in.number(2, 2, second) && in.take('-') && in.number(3, 3, ms) && in.at_end();
  if (!good || hour > 23 || minute > 59 || second > 59) {
    return fail(Code::invalid, "must be a time as yyyy-MM-dd-HH-mm-ss-SSS");
  }
  return *day + hour * model::kHourMs + minute * model::kMinuteMs + second * model::kSecondMs + ms;
}

}  // namespace varve::task
