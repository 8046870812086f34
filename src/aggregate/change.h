// SPDX-License-Identifier: Apache-2.0
// Change: the difference between consecutive samples, timestamped with the later one.
#pragma once

#include "aggregate/points.h"
#include "aggregate/scope.h"
#include "aggregate/stage.h"
#include "base/result.h"

namespace varve::aggregate {

// The difference.
struct Diff {};
// The difference per `per`: a month is as long as the one that begins at the earlier sample.
struct Rate {
  Sampling per;
  model::TimeZone zone;
};
// The value itself per `per`, for counters that are reset when they are read.
struct Sampler {
  Sampling per;
  model::TimeZone zone;
};

// `in`: numbers in either order of time; nulls are ignored. One point fewer than the input; doubles.
Result<Points> apply(const Diff& diff, Points in);
// Errors: invalid, if two samples have the same time; what scope.charge says.
Result<Points> apply(const Rate& rate, const Scope& scope, Points in);
Result<Points> apply(const Sampler& sampler, const Scope& scope, Points in);

// number(a) − number(b) without losing what a double cannot hold, where both are whole.
double difference(const Points& points, std::size_t a, std::size_t b);

}  // namespace varve::aggregate
