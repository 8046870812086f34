// SPDX-License-Identifier: Apache-2.0
// What a request asks about usage.
//   ?begin=&end=          seconds since 1970, the end exclusive; the last day unless it is said
//   [&agg=300]            width of the bins, seconds
//   [&device=…]…          any of these devices
//   [&interface=…]…       any of these interfaces
//   [&ifAlias__contains=] of those whose ifAlias has this in it
//   [&tag=key=value]…     of devices that have all of these tags in the inventory
//   [&sort=in.p95]        (in|out).(bytes|average|max|p95|utilisation), descending
//   [&limit=10]           the first ones; 0: all
//   [&sum=1]              also all of them together
#pragma once

#include "api/shared/http.h"
#include "base/result.h"
#include "language/usage/request.h"
#include "model/time.h"

namespace varve::api {

using language::usage::UsageField;
using language::usage::UsageQuestion;
using language::usage::UsageSort;

// Error: invalid; also where a parameter has another name than these.
Result<UsageQuestion> read_usage_question(const Request& request, model::Timestamp now);

}  // namespace varve::api
