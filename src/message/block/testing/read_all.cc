// SPDX-License-Identifier: Apache-2.0
#include "message/block/testing/read_all.h"

#include <algorithm>
#include <numeric>

namespace varve::message::block::testing {
namespace {

Status ask(Block& block, Column column, std::string_view field, Op op, std::string_view value) {
  VARVE_ASSIGN_OR_RETURN(Term term, make_term(column, field, op, value));
  VARVE_RETURN_IF_ERROR(block.find(Condition::of(std::move(term))));
  return {};
}

Status ask_some(Block& block) {
  VARVE_RETURN_IF_ERROR(ask(block, Column::source, "", Op::equal, "web7"));
  VARVE_RETURN_IF_ERROR(ask(block, Column::object, "", Op::prefix, "VN:"));
  VARVE_RETURN_IF_ERROR(ask(block, Column::pid, "", Op::equal, "17"));
  VARVE_RETURN_IF_ERROR(ask(block, Column::field, "user", Op::prefix, "a"));
  VARVE_RETURN_IF_ERROR(ask(block, Column::text, "", Op::word, "alpha"));
  VARVE_RETURN_IF_ERROR(ask(block, Column::text, "", Op::word, "face1"));
  VARVE_RETURN_IF_ERROR(ask(block, Column::text, "", Op::word_prefix, "d"));
  return ask(block, Column::text, "", Op::regex, ".*took 1.*");
}

}  // namespace

Status read_all(std::shared_ptr<const Sections> sections) {
  VARVE_ASSIGN_OR_RETURN(Block block, Block::open(std::move(sections)));
  VARVE_RETURN_IF_ERROR(block.times());
  VARVE_RETURN_IF_ERROR(block.arrivals());
  for (std::size_t c = 0; c <= static_cast<std::size_t>(Column::object); ++c) {
    VARVE_RETURN_IF_ERROR(block.counts(static_cast<Column>(c)));
  }
  VARVE_ASSIGN_OR_RETURN(const auto names, block.field_names());
  for (std::size_t i = 0; i < std::min<std::size_t>(10, names.size()); ++i) {
    VARVE_RETURN_IF_ERROR(block.counts(Column::field, names[i]));
  }
  VARVE_RETURN_IF_ERROR(ask_some(block));
  // A few bytes may stand for tens of thousands of equal messages: bound the time, not the format.
  std::vector<std::uint32_t> which(std::min<std::size_t>(block.messages(), 1000));
  std::iota(which.begin(), which.end(), 0U);
  Batch out;
  VARVE_RETURN_IF_ERROR(block.rows(which, out));
  const std::byte* at = out.bytes().data();
  const std::byte* const end = at + out.bytes().size();
  for (std::size_t i = 0; i < which.size(); ++i) {
    const std::size_t bytes = check_row(at, end);
    if (bytes == 0) return fail(Code::io, "a row that was rebuilt is not well-formed");
    at += bytes;
  }
  return {};
}

}  // namespace varve::message::block::testing
