// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/analytics/answer_rows.h"
#include "api/analytics/field_values.h"
#include "language/analytics/field_names.h"

namespace varve::api {

Result<std::vector<std::string>> value_rows(Answering& answering, const Answering::Question& question) {
  const auto& asked = question.asked;
  const auto columns = language::analytics::columns_asked(asked, question.tables);
  FieldValues found(asked, columns);
  const auto add_block = [&](const auto& block, const message::block::Bitmap& among) -> Result<bool> {
    VARVE_ASSIGN_OR_RETURN(const bool can, found.add(*block, among));
    VARVE_RETURN_IF_ERROR(answering.may_hold(0, found.bytes()));
    return can;
  };
  const auto add_row = [&](message::RowView row) {
    found.add(row);
    return answering.may_hold(0, found.bytes());
  };
  VARVE_RETURN_IF_ERROR(answering.each_block(asked, add_block, add_row));
  auto out = found.rows(std::min<std::size_t>(limit_of(asked), answering.source().rows_max + 1));
  VARVE_RETURN_IF_ERROR(answering.may_hold(out.size(), 0));
  return out;
}

}  // namespace varve::api
