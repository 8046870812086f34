// SPDX-License-Identifier: Apache-2.0
// Source::count(): how many lines and bytes there are of each kind.
#include <algorithm>
#include <memory>
#include <vector>

#include "language/logql/source.h"
#include "message/block/row_cursor.h"
#include "query/messages/block_answers.h"

namespace varve::language::logql {
namespace {

using message::block::Bitmap;
using message::block::Block;
using message::block::GroupColumn;

constexpr std::string_view kExtracted = "_extracted";

class StreamCounting {
 public:
  StreamCounting(const CountQuestion& question, const CountSink& sink) : question_(question), sink_(sink) {}

  Status add(message::RowView row) {
    labels_.read(row);
    return sink_(labels_, 1, labels_.line().size());
  }

  // False: only its rows say it.
  Result<bool> add(const std::shared_ptr<Block>& block, const Bitmap& among) {
    Bitmap found = among;
    VARVE_RETURN_IF_ERROR(block->keep_between(question_.span.first_ns, question_.span.end_ns, found));
    if (found.none()) return true;
    VARVE_ASSIGN_OR_RETURN(const auto names, block->field_names());
    const auto counts = [&](const std::string& name) { return tells_pushed(name) || becomes_label(name); };
    std::vector<GroupColumn> columns = label_columns(std::ranges::none_of(names, counts));
    const std::size_t fixed = columns.size();
    for (const std::string& name : names) {
      if (counts(name)) columns.push_back({message::Column::field, name});
    }
    VARVE_ASSIGN_OR_RETURN(auto groups, groups_of(*block, columns, found, question_.bytes));
    if (groups == nullptr) return false;
    const bool all_fields = question_.labels.kind != Asked::of_streams || columns.size() == fixed + names.size();
    if (!all_fields && !question_.bytes && any_pushed(*groups)) {
      VARVE_ASSIGN_OR_RETURN(groups, groups_of(*block, columns, found, true));
    }
    Bitmap pushed(block->messages());
    VARVE_RETURN_IF_ERROR(give(*groups, found, all_fields ? nullptr : &pushed));
    if (pushed.none()) return true;
    VARVE_RETURN_IF_ERROR(add_pushed(block, pushed));
    return true;
  }

 private:
  using Asked = LabelsAsked::Kind;
  struct GroupsFound {
    message::Batch batch;
    std::vector<std::uint64_t> times, bytes;
    std::vector<std::uint32_t> of_row;
  };

  // `alone`: no field counts. Then a message without any of the columns is one that has none of these labels, too, and
  // it is enough to look at those that are asked for.
  [[nodiscard]] std::vector<GroupColumn> label_columns(bool alone = false) const {
    std::vector<GroupColumn> columns;
    for (const message::Column column : kLabelColumns) {
      const std::string_view name = message::name_of(column).key;
      const bool asked = std::ranges::find(question_.labels.names, name) != question_.labels.names.end();
      if (!alone || question_.labels.kind != Asked::named || asked) columns.push_back({column});
    }
    if (question_.window_ns != 0) {
      columns.push_back({message::Column::time, "", 0, question_.window_ns, question_.origin_ns});
    }
    return columns;
  }

  // Can a label that is asked for be this field's?
  [[nodiscard]] bool becomes_label(std::string_view field) const {
    if (question_.labels.kind != Asked::named) return question_.labels.kind == Asked::all;
    const std::string name = label_name_of(field), extracted = name + std::string(kExtracted);
    return std::ranges::any_of(question_.labels.names,
                               [&](std::string_view label) { return label == name || label == extracted; });
  }

  // nullptr: the block cannot tell.
  Result<std::unique_ptr<GroupsFound>> groups_of(Block& block, const std::vector<GroupColumn>& columns,
                                                 const Bitmap& among, bool of_rows) const {
    auto out = std::make_unique<GroupsFound>();
    VARVE_ASSIGN_OR_RETURN(const bool can,
                           block.groups(columns, among, out->batch, out->times, of_rows ? &out->of_row : nullptr));
    if (!can) return nullptr;
    out->bytes.resize(out->times.size());
    if (!question_.bytes) return out;
    VARVE_ASSIGN_OR_RETURN(const auto lengths, block.text_lengths(among));
    among.for_each([&](std::uint32_t row) { out->bytes[out->of_row[row]] += lengths[row]; });
    return out;
  }

  bool any_pushed(const GroupsFound& groups) {
    const std::byte* at = groups.batch.bytes().data();
    for (std::size_t g = 0; g < groups.times.size(); ++g, at += message::RowView{at}.bytes()) {
      labels_.read({at});
      if (labels_.is_pushed()) return true;
    }
    return false;
  }

  // Messages of groups whose other fields are labels, too, are put into `pushed` instead, unless it is nullptr.
  Status give(const GroupsFound& groups, const Bitmap& among, Bitmap* pushed) {
    std::vector<std::uint8_t> is_pushed(groups.times.size());
    bool any = false;
    const std::byte* at = groups.batch.bytes().data();
    for (std::size_t g = 0; g < groups.times.size(); ++g) {
      const message::RowView row{at};
      at += row.bytes();
      labels_.read(row);
      is_pushed[g] = pushed != nullptr && labels_.is_pushed() ? 1 : 0;
      any |= is_pushed[g] != 0;
      if (is_pushed[g] == 0) VARVE_RETURN_IF_ERROR(sink_(labels_, groups.times[g], groups.bytes[g]));
    }
    if (!any) return {};
    among.for_each([&](std::uint32_t row) { pushed->set_if(row, is_pushed[groups.of_row[row]] != 0); });
    return {};
  }

  // Metadata are no labels: what is another one in each message makes no groups.
  Status add_pushed(const std::shared_ptr<Block>& block, const Bitmap& pushed) {
    VARVE_ASSIGN_OR_RETURN(const auto names, block->text_field_names());
    std::vector<GroupColumn> columns = label_columns();
    for (const std::string& name : names) {
      if (is_label_name(name)) columns.push_back({message::Column::field, name});
    }
    VARVE_ASSIGN_OR_RETURN(const auto groups, groups_of(*block, columns, pushed, question_.bytes));
    if (groups != nullptr) return give(*groups, pushed, nullptr);
    message::block::RowCursor rows(block, pushed, false);
    while (true) {
      VARVE_ASSIGN_OR_RETURN(const auto row, rows.next());
      if (!row) return {};
      VARVE_RETURN_IF_ERROR(add(*row));
    }
  }

  const CountQuestion& question_;
  const CountSink& sink_;
  Labels labels_;
};

}  // namespace

Status Source::count(const CountQuestion& question, const CountSink& sink) const {
  const TimeSpan span = question.span;
  if (span.end_ns <= span.first_ns) return {};
  StreamCounting counting(question, sink);
  return query::answer_by_blocks(
      store_, search_of(span, question.condition), deadline_,
      [&](const std::shared_ptr<Block>& block, const Bitmap& found) { return counting.add(block, found); },
      [&](message::RowView row) { return span.has(row) ? counting.add(row) : Status{}; });
}

}  // namespace varve::language::logql
