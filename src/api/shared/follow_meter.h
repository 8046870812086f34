// SPDX-License-Identifier: Apache-2.0
// FollowMeter: what a question that is followed may take of the one thread that compares messages with all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/regex.h"
#include "base/result.h"

namespace varve::api {

inline constexpr std::size_t kQuestionsOfTenantMost = 100;

// Of questions by keys that begin with the tenant and a line break: may the tenant have one more?
template <class Questions>
bool has_room_for_question(const Questions& questions, const std::string& tenant) {
  const std::string prefix = tenant + '\n';
  std::size_t count = 0;
  for (auto at = questions.lower_bound(prefix); at != questions.end() && at->first.starts_with(prefix); ++at) ++count;
  return count < kQuestionsOfTenantMost;
}

// While one batch of messages is compared with one question.
class FollowMeter {
 public:
  static constexpr std::int64_t kMsMost = 250;
  static constexpr std::size_t kStepsOfValue = std::size_t{1} << 26;

  explicit FollowMeter(const Clock& clock)
      : clock_(clock),
        end_ns_(clock.steady_ns() + kMsMost * 1'000'000),
        meter_([this] { return go_on(); }, kStepsOfValue) {}

  // Error: limit; the question ends with it.
  [[nodiscard]] const Status& status() const { return meter_.status(); }

 private:
  [[nodiscard]] Status go_on() const {
    if (clock_.steady_ns() <= end_ns_) return {};
    return fail(Code::limit, "the regular expressions of what is followed take more than " + std::to_string(kMsMost) +
                                 " ms for the messages that came");
  }

  const Clock& clock_;
  const std::int64_t end_ns_;
  const RegexMeter meter_;
};

}  // namespace varve::api
