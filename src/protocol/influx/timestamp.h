// SPDX-License-Identifier: Apache-2.0
// Timestamps at the end of lines, of one precision, to milliseconds (finer ones are rounded down, also before 1970).
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/time.h"
#include "protocol/influx/bytes.h"
#include "protocol/influx/line.h"
#include "protocol/influx/number.h"

namespace varve::protocol::influx {

class TimeReader {
 public:
  // Samples before `kept_from` are not for the fast way.
  TimeReader(Precision precision, model::Timestamp now, model::Timestamp kept_from = model::kTimestampMin)
      : precision_(precision), now_(now), kept_from_(kept_from) {}

  // Reads " 123\n", "\n" (now) or the same with "\r\n" at `at`: 64 bytes must be readable. Returns the beginning of the
  // next line, or nullptr if it is anything else.
  const char* read_end(const char* at, model::Timestamp& time) {
    if (*at == '\n' || (*at == '\r' && at[1] == '\n')) {
      time = now_;
      return at + (*at == '\r' ? 2 : 1);
    }
    if (*at != ' ') return nullptr;
    ++at;
    // The lines of a request mostly have one timestamp: then it was read already.
    if (last_size_ != 0 && ~mask_of_equal(at, last_) << (32 - last_size_) == 0) {
      time = last_time_;
      return at + last_size_;
    }
    return read_new(at, time);
  }

  // Of a whole token; empty: now. Errors (invalid): not an integer; outside of what the model keeps.
  [[nodiscard]] Result<model::Timestamp> read(std::string_view token) const;

 private:
  const char* read_new(const char* at, model::Timestamp& time);
  [[nodiscard]] bool to_ms(std::int64_t count, model::Timestamp& time) const;

  Precision precision_;
  model::Timestamp now_;
  model::Timestamp kept_from_;
  model::Timestamp last_time_ = 0;
  unsigned last_size_ = 0;  // of the text with its newline
  char last_[32] = {};
};

}  // namespace varve::protocol::influx
