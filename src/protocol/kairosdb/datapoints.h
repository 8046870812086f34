// SPDX-License-Identifier: Apache-2.0
// KairosDB's put: the body of POST /api/v1/datapoints into rows. docs/protocols/kairosdb-put.md says what is taken.
//
// Two ways: a fast one for JSON as machines write it (one pass, tags compared with those of the group that is expected
// next), and a general one with all of KairosDB's manners and words for whatever the fast one does not know. Both give
// the same rows; the choice is made metric by metric.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/line_group.h"
#include "model/row.h"

namespace varve::protocol::kairosdb {

// Why a body was not taken. No errors: it was.
struct Rejection {
  Code code = Code::invalid;  // limit or unavailable if the store said so
  std::vector<std::string> errors;
  std::size_t too_old = 0;  // of the errors
  [[nodiscard]] bool none() const { return errors.empty(); }
};

// After so many the rest is not looked at.
inline constexpr std::size_t kErrorsMax = 1000;

enum class Way { fast, general };  // general: for tests, which compare the two

// Appends the samples of the body to `batch`. All or nothing: if there are errors, the caller drops the batch (a part
// of the samples may be in it), and no group was defined (but by limit or unavailable: some may have been). 64 bytes
// behind the body must be readable. A group is named by the bytes of "name" and, behind them, those of the tags object
// as written.
Rejection parse_datapoints(std::string_view body, model::GroupSource& groups, model::RowBatch& batch,
                           Way way = Way::fast);

// {"errors":["…"]}
std::string render_errors(std::span<const std::string> errors);

}  // namespace varve::protocol::kairosdb
