// SPDX-License-Identifier: Apache-2.0
// Functions of the calendar, in UTC, of samples that are seconds since 1970; and what the clock of a zone shows.
#include <chrono>
#include <cstdint>
#include <string>

#include "language/promql/families.h"
#include "language/promql/merging.h"
#include "model/time_zone.h"

namespace varve::language::promql {
namespace {

constexpr std::uint64_t kSecondsOfDay = 86'400;
constexpr std::int64_t kDaysOfCycle = 146'097;  // 400 years, after which the calendar repeats itself
// 1970 counted in days from the year −292277022399, as Go counts time.
constexpr std::int64_t kDaysBefore1970 = 106'751'990'353'932 + 719'162;

struct CalendarTime {
  std::int64_t day = 0;  // since 1970
  std::int64_t second_of_day = 0;
};

// What is no whole number of 64 bits (NaN, infinities) is the least one, and counting from there wraps around: so there
// is an answer, the one of Prometheus.
CalendarTime calendar_time(double seconds_since_1970) {
  constexpr double kEnd = 9223372036854775808.0;
  const bool fits = seconds_since_1970 >= -kEnd && seconds_since_1970 < kEnd;
  const std::int64_t whole = fits ? static_cast<std::int64_t>(seconds_since_1970) : INT64_MIN;
  const std::uint64_t counted =
      static_cast<std::uint64_t>(whole) + static_cast<std::uint64_t>(kDaysBefore1970) * kSecondsOfDay;
  return {static_cast<std::int64_t>(counted / kSecondsOfDay) - kDaysBefore1970,
          static_cast<std::int64_t>(counted % kSecondsOfDay)};
}

double calendar_field(FunctionId function, double seconds_since_1970) {
  using std::chrono::days;
  const CalendarTime time = calendar_time(seconds_since_1970);
  std::int64_t cycles = time.day / kDaysOfCycle;
  if (time.day % kDaysOfCycle < 0) --cycles;
  const std::chrono::sys_days day{days(time.day - cycles * kDaysOfCycle)};  // of the cycle that begins in 1970
  const std::chrono::year_month_day date(day);
  switch (function) {
    case FunctionId::year: return static_cast<double>(static_cast<int>(date.year()) + 400 * cycles);
    case FunctionId::month: return static_cast<unsigned>(date.month());
    case FunctionId::day_of_month: return static_cast<unsigned>(date.day());
    case FunctionId::day_of_week: return std::chrono::weekday(day).c_encoding();  // a cycle is full weeks
    case FunctionId::day_of_year: {
      const std::chrono::sys_days new_year = date.year() / std::chrono::January / 1;
      return static_cast<double>((day - new_year).count() + 1);
    }
    case FunctionId::days_in_month: {
      const std::chrono::year_month_day last(date.year() / date.month() / std::chrono::last);
      return static_cast<unsigned>(last.day());
    }
    case FunctionId::hour: return static_cast<double>(time.second_of_day / 3600);
    default: return static_cast<double>(time.second_of_day / 60 % 60);  // minute
  }
}

}  // namespace

bool is_calendar(FunctionId function) {
  switch (function) {
    case FunctionId::year:
    case FunctionId::month:
    case FunctionId::day_of_month:
    case FunctionId::day_of_week:
    case FunctionId::day_of_year:
    case FunctionId::days_in_month:
    case FunctionId::hour:
    case FunctionId::minute: return true;
    default: return false;
  }
}

Status call_calendar(const CallOf& of) {
  if (of.call.arguments.empty()) {
    VARVE_ASSIGN_OR_RETURN(Series now, of.evaluation.series({}, of.steps));
    for (std::size_t i = 0; i < now.points.size(); ++i) {
      now.points.set(i, calendar_field(of.call.function, static_cast<double>(of.steps.at(i)) / 1000));
    }
    return of.sink(std::move(now));
  }
  NamelessSink sink(of.evaluation, of.argument(0), of.call.keep_metric_names, of.sink);
  VARVE_RETURN_IF_ERROR(of.evaluation.each(of.argument(0), of.steps, [&](Series&& one) -> Status {
    VARVE_RETURN_IF_ERROR(of.evaluation.spend(of.steps.count()));
    one.points.each(
        [&](std::size_t step) { one.points.value(step) = calendar_field(of.call.function, one.points[step]); });
    return sink.take(std::move(one));
  }));
  return sink.finish();
}

Result<Column> timezone_offset(Evaluation& evaluation, std::string_view zone, const Steps& steps) {
  const auto found = model::TimeZone::find(zone);
  if (!found) return fail(Code::invalid, "cannot load timezone \"" + std::string(zone) + "\"");
  VARVE_ASSIGN_OR_RETURN(Column out, evaluation.column(steps));
  for (std::size_t i = 0; i < out.size(); ++i) {
    out.set(i, static_cast<double>(found->to_local(steps.at(i)) - steps.at(i)) / 1000);
  }
  return out;
}

}  // namespace varve::language::promql
