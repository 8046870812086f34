// SPDX-License-Identifier: Apache-2.0
// OpenTSDB's POST /api/put: the body into rows, point by point; good points are kept, bad ones named.
// docs/protocols/opentsdb-put.md says what is taken.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "protocol/opentsdb/route.h"

namespace varve::protocol::opentsdb {

struct PutError {
  std::size_t index;  // of the point in the body
  std::string reason;
  std::string_view datapoint;  // as written, in the body
};

struct PutOutcome {
  std::size_t success = 0;
  std::size_t failed = 0;
  std::size_t too_old = 0;       // of those that failed
  std::vector<PutError> errors;  // the first kPutErrorsMax
  Code code = Code::invalid;     // limit or unavailable if the store said so of any point
  std::string malformed;         // not empty: the body is no JSON; the caller drops every batch
};

inline constexpr std::size_t kPutErrorsMax = 10'000;

enum class Way { fast, general };  // general: for tests, which compare the two

// 64 bytes behind the body must be readable.
PutOutcome parse_put(std::string_view body, Targets& targets, TenantTag tenant_tag, Way way = Way::fast);

// {"success":1,"failed":1}, and with details ,"errors":[{"datapoint":{…},"error":"…"}]
std::string render_put(const PutOutcome& outcome, bool details);

// OpenTSDB's shape of a refused request: {"error":{"code":400,"message":"…","details":"…"}}
std::string render_put_error(int status, std::string_view message, std::string_view details);

}  // namespace varve::protocol::opentsdb
