// SPDX-License-Identifier: Apache-2.0
// Change: what lies between each sample and the one before it. The point bears the later one's time.
#pragma once

#include "aggregate/points.h"
#include "aggregate/stage.h"
#include "base/result.h"

namespace varve::aggregate {

// The difference.
struct Diff {};
// The difference per `per`: a month has as many days as the one that begins at the sample before.
struct Rate {
  Sampling per;
  model::TimeZone zone;
};
// The value itself per `per`, as a counter that is reset at each reading wants it.
struct Sampler {
  Sampling per;
  model::TimeZone zone;
};

// `in`: numbers in either order of time; nulls are passed over. One point less than came in; doubles.
Points apply(const Diff& diff, Points in);
// Error: invalid, if two samples have one time.
Result<Points> apply(const Rate& rate, Points in);
Result<Points> apply(const Sampler& sampler, Points in);

// number(a) − number(b) without losing what a double cannot hold, where both are whole.
double difference(const Points& points, std::size_t a, std::size_t b);

}  // namespace varve::aggregate
