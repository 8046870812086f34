// SPDX-License-Identifier: Apache-2.0
// Rows of an answer, one by one as they come: no more than one is kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::logs {

class RowSplitter {
 public:
  enum class Form : std::uint8_t {
    lines,  // NDJSON: an object a line
    list,   // {"value":[…]}
  };
  explicit RowSplitter(Form form) : form_(form) {}

  void add(std::string_view bytes);
  // The next object as JSON text. Valid until add(). Nothing: more bytes are needed, or it has failed.
  std::optional<std::string_view> next();
  // At the end of the answer. Errors: invalid (it is not of that form, or a row is too long), io (it ends too early).
  [[nodiscard]] Status finish() const;
  [[nodiscard]] bool failed() const { return !why_.empty(); }

 private:
  bool skip_to_row();
  std::optional<std::string_view> stop(std::string why);

  const Form form_;
  std::string bytes_;
  std::size_t begin_ = 0;  // of the row, or of what is between rows
  std::size_t seen_ = 0;   // up to here the row has been looked at
  int depth_ = 0;
  bool in_text_ = false, escaped_ = false;
  std::size_t head_ = 0;  // so much of what opens a list has been read
  bool closed_ = false;
  std::string why_;
};

}  // namespace varve::logs
