// SPDX-License-Identifier: Apache-2.0
#include "protocol/messages/general_message.h"

#include "message/column.h"

namespace varve::protocol::messages {
namespace {

using json::Element;
using json::Kind;
using message::Column;
using message::FieldForm;

class GeneralMessage {
 public:
  GeneralMessage(json::Reader& reader, Cells& cells, std::deque<std::string>& names, const Mapping& mapping)
      : reader_(reader), cells_(cells), names_(names), mapping_(mapping) {}

  Status read() {
    bool first = true;
    for (std::string_view name; reader_.next_name(first, name);) {
      const Element value = reader_.value();
      if (reader_.failed()) break;
      VARVE_RETURN_IF_ERROR(read_value(name, value));
    }
    return ended();
  }

 private:
  // The caller looks at reader.failed() first.
  Status ended() const { return reader_.failed() ? fail(Code::invalid, reader_.error()) : Status{}; }

  Status read_value(std::string_view name, const Element& value) {
    const message::ColumnName* const column = mapping_.column_of(name);
    if (column == nullptr) return read_field(name, value);
    if (!mapping_.others_are_fields || column->column == Column::time) return read_cell(column->column, value);
    if (value.kind == Kind::array || value.kind == Kind::object) return read_field(name, value);
    const Status taken = read_cell(column->column, value);
    return taken || taken.error().code != Code::invalid ? taken : read_field(name, value);
  }

  Status read_cell(Column column, const Element& value) {
    if (value.kind == Kind::null) return cells_.null(column), Status{};
    if (column == Column::object) cells_.null(column);  // the last list counts
    if (value.kind == Kind::string) return cells_.text(column, value.text);
    if (value.kind == Kind::number) return cells_.number(column, value.text);
    if (value.kind == Kind::array && column == Column::object) return read_objects();
    return cells_.other(column, value.kind, value.text);
  }

  Status read_objects() {
    Element item;
    for (bool first = true; reader_.next_item(first, item);) {
      if (item.kind == Kind::null) continue;
      if (item.kind != Kind::string) return fail(Code::invalid, "objects has an item that is not a text");
      VARVE_RETURN_IF_ERROR(cells_.text(Column::object, item.text));
    }
    return ended();
  }

  Status read_field(std::string_view name, const Element& value) {
    switch (value.kind) {
      case Kind::null: return cells_.null_field(name), Status{};
      case Kind::string: return cells_.field(name, FieldForm::text, value.text);
      case Kind::number: return cells_.field(name, FieldForm::number, value.text);
      case Kind::array: reader_.skip(value); break;
      case Kind::object: path_ = name; return read_nested();
      default: return cells_.field(name, FieldForm::json, value.text);
    }
    VARVE_RETURN_IF_ERROR(ended());
    return cells_.field(name, FieldForm::json, {value.begin, static_cast<std::size_t>(reader_.at() - value.begin)});
  }

  // The object named by path_: {"a":{"b":1}} is a field "a.b". Paths grow with the depth, so their limit bounds it.
  Status read_nested() {
    if (path_.size() > message::kNameBytesMax) return cells_.field(path_, FieldForm::text, {});
    path_ += '.';
    const std::size_t outer = path_.size();
    bool first = true;
    for (std::string_view name; reader_.next_name(first, name);) {
      const Element value = reader_.value();
      if (reader_.failed()) break;
      path_.resize(outer);
      path_ += name;
      if (value.kind == Kind::object) {
        VARVE_RETURN_IF_ERROR(read_nested());
      } else if (value.kind == Kind::null) {
        cells_.null_field(path_);
      } else if (names_.size() < kNamesMax) {
        VARVE_RETURN_IF_ERROR(read_value(names_.emplace_back(path_), value));
      } else {
        return fail(Code::limit, "more than " + std::to_string(message::kFieldsMax) + " fields");
      }
    }
    return ended();
  }

  // Of nested objects: also those that are given twice, which is not what anybody does a thousand times.
  static constexpr std::size_t kNamesMax = 2 * message::kFieldsMax;

  std::string path_;  // of the nested object that is being read
  json::Reader& reader_;
  Cells& cells_;
  std::deque<std::string>& names_;
  const Mapping& mapping_;
};

}  // namespace

Status read_message(json::Reader& reader, Cells& cells, std::deque<std::string>& names, const Mapping& mapping) {
  return GeneralMessage(reader, cells, names, mapping).read();
}

Error not_json(const json::Reader& reader, bool one_line) {
  const auto replace = [](std::string& words, std::string_view what, std::string_view with) {
    if (const auto at = words.find(what); at != std::string::npos) words.replace(at, what.size(), with);
  };
  std::string words = "not JSON: " + reader.error();
  replace(words, ": Malformed JSON", "");
  if (one_line) replace(words, " at line 1 column ", " at column ");
  return {Code::invalid, std::move(words)};
}

}  // namespace varve::protocol::messages
