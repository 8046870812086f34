// SPDX-License-Identifier: Apache-2.0
// Labels: those that a line has while it goes through the stages of a query. docs/protocols/loki-query.md says which
// ones a message has.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "message/row.h"

namespace varve::language::logql {

// Columns of a message that are labels, by the names of their keys.
inline constexpr message::Column kLabelColumns[] = {
    message::Column::source,   message::Column::module,   message::Column::type, message::Column::node_type,
    message::Column::instance, message::Column::category, message::Column::level};
std::optional<message::Column> label_column(std::string_view name);

// Fields of these names say whether a message was pushed (Labels::is_pushed).
bool tells_pushed(std::string_view field);

// [a-zA-Z_][a-zA-Z0-9_]*
bool is_label_name(std::string_view name);
// What else a free field's name has becomes an underscore; one is set before a digit.
std::string label_name_of(std::string_view name);

inline constexpr std::string_view kError = "__error__";
inline constexpr std::string_view kErrorDetails = "__error_details__";

inline constexpr std::int64_t kNsPerUs = 1000;
inline std::int64_t time_ns_of(message::RowView row) { return row.time_us() * kNsPerUs + row.nanos(); }

struct Label {
  enum class Origin : std::uint8_t { stream, metadata, parsed };
  Origin origin{};
  std::string_view name;
  std::string_view value;  // not empty
};

// Reused from message to message, by one thread. What it gives out is valid until the next read(), as long as the
// message's bytes are there.
class Labels {
 public:
  void read(message::RowView row);

  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::int64_t time_ns() const { return time_ns_; }
  [[nodiscard]] const std::vector<Label>& all() const { return labels_; }
  // Does the message come from a Loki push, so that its fields are labels? Its columns say nothing that they do not.
  [[nodiscard]] bool is_pushed() const;
  // "" if there is none.
  [[nodiscard]] std::string_view get(std::string_view name) const;

  // Found in the line. A label of that name that was not parsed stays, and "_extracted" is added to this one's. Of two
  // the last one counts. Names and values have to stay, or be kept.
  void add_parsed(std::string_view name, std::string_view value);
  void set_error(std::string_view kind, std::string_view details);
  [[nodiscard]] bool has_error() const { return !get(kError).empty(); }
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

  // Keeps the labels for which `stays(label)`.
  template <class Stays>
  void filter(const Stays& stays) {
    std::erase_if(labels_, [&](const Label& label) { return !stays(label); });
    index_.clear();
  }
  void sort();  // by name

 private:
  [[nodiscard]] std::size_t find(std::string_view name) const;
  void add(Label::Origin origin, std::string_view name, std::string_view value);
  void read_cells(message::RowView row);
  [[nodiscard]] bool says(const message::Cell& column) const;

  std::int64_t time_ns_ = 0;
  std::string_view line_;
  std::vector<message::Cell> columns_, fields_;
  std::vector<Label> labels_;
  mutable std::unordered_map<std::string_view, std::size_t> index_;  // of labels, when there are many
  std::deque<std::string> texts_;
};

// {a="b", c="d"}: of sorted labels, as Loki writes them.
void append_labels(std::string& out, const std::vector<Label>& labels);

}  // namespace varve::language::logql
