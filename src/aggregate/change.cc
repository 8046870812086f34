// SPDX-License-Identifier: Apache-2.0
#include "aggregate/change.h"

#include <string>
#include <utility>

namespace varve::aggregate {

namespace {

using model::TimeUnit;
using model::ValueType;
__extension__ typedef __int128 Wide;  // of differences of longs

// change(in) writes over the values of all samples but the last, from the first on; each gets the time of the next.
template <class Change>
Result<Points> changed(Points in, const Change& change) {
  in = without_nulls(std::move(in));
  if (in.size() < 2) return Points();
  VARVE_RETURN_IF_ERROR(change(in));
  in.bits.pop_back();
  in.times.erase(in.times.begin());
  in.type = ValueType::double_;
  in.types.clear();
  return in;
}

Status check_times(const Points& in, const char* name) {
  for (std::size_t i = 1; i < in.size(); ++i) {
    if (in.times[i] != in.times[i - 1]) continue;
    return fail(Code::invalid, std::string("The ") + name +
                                   " aggregator cannot compute rate for data points with the same time stamp.  You "
                                   "must precede " +
                                   name + " with another aggregator.");
  }
  return {};
}

// Calls use(i, milliseconds of `per` from the i-th time on).
template <class Use>
Status with_durations(const Sampling& per, model::TimeZone zone, const Points& in, const Charge& charge,
                      const Use& use) {
  const std::int64_t fixed = model::fixed_ms(per.unit);
  if (fixed != 0 && (zone.is_utc() || per.unit < TimeUnit::days)) {
    const double ms = static_cast<double>(fixed) * static_cast<double>(per.value);
    for (std::size_t i = 0; i + 1 < in.size(); ++i) use(i, ms);
    return {};
  }
  Pace pace;
  for (std::size_t i = 0; i + 1 < in.size(); ++i) {
    VARVE_RETURN_IF_ERROR(pace.step(charge));
    use(i, static_cast<double>(model::add_units(in.times[i], per.value, per.unit, zone) - in.times[i]));
  }
  return {};
}

double elapsed(const Points& in, std::size_t i) { return static_cast<double>(in.times[i + 1] - in.times[i]); }

// What change(points, i) says of the step from the i-th sample to the next, per the unit's length.
template <class Step, class Change>
Result<Points> per_time(const char* name, const Step& step, const Scope& scope, Points in, const Change& change) {
  in = without_nulls(std::move(in));
  VARVE_RETURN_IF_ERROR(check_times(in, name));
  return changed(std::move(in), [&](Points& points) {
    return with_durations(step.per, step.zone, points, scope.charge, [&](std::size_t i, double ms) {
      points.bits[i] = std::bit_cast<std::uint64_t>(change(points, i) / elapsed(points, i) * ms);
    });
  });
}

// (points, i) → the difference of the i-th sample and the next. Where all are doubles, no type is looked at.
auto difference_in(const Points& points) {
  const bool doubles = points.types.empty() && points.type == ValueType::double_;
  return [doubles](const Points& in, std::size_t i) {
    if (!doubles) return difference(in, i + 1, i);
    return std::bit_cast<double>(in.bits[i + 1]) - std::bit_cast<double>(in.bits[i]);
  };
}

}  // namespace

double difference(const Points& points, std::size_t a, std::size_t b) {
  if (points.type_of(a) == ValueType::long_ && points.type_of(b) == ValueType::long_) {
    const auto x = static_cast<Wide>(std::bit_cast<std::int64_t>(points.bits[a]));
    return static_cast<double>(x - std::bit_cast<std::int64_t>(points.bits[b]));
  }
  return points.number(a) - points.number(b);
}

Result<Points> apply(const Diff& /*diff*/, Points in) {
  const auto change = difference_in(in);
  return changed(std::move(in), [&](Points& points) {
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      points.bits[i] = std::bit_cast<std::uint64_t>(change(points, i));
    }
    return Status();
  });
}

Result<Points> apply(const Rate& rate, const Scope& scope, Points in) {
  const auto change = difference_in(in);
  return per_time("rate", rate, scope, std::move(in), change);
}

Result<Points> apply(const Sampler& sampler, const Scope& scope, Points in) {
  return per_time("sampler", sampler, scope, as_doubles(std::move(in)),
                  [](const Points& points, std::size_t i) { return std::bit_cast<double>(points.bits[i + 1]); });
}

}  // namespace varve::aggregate
