// SPDX-License-Identifier: Apache-2.0
// Cells: what JSON values mean for the columns of a message. The same for both ways of reading.
#pragma once

#include <array>
#include <string_view>

#include "message/builder.h"
#include "protocol/json/reader.h"
#include "protocol/messages/ndjson.h"
#include "protocol/messages/xml_names.h"
#include "protocol/rfc3339.h"

namespace varve::protocol::messages {

class Cells {
 public:
  Cells(const Options& options, message::Batch& batch)
      : options_(options), admission_(options.limits, batch), builder_(admission_.rows()) {}

  void start() {
    builder_.start();
    has_time_ = false;
  }

  // One value of a column; of objects one name. Texts must live until finish(). Errors: too_large, limit, invalid.
  Status text(message::Column column, std::string_view text);
  // As JSON has it.
  Status number(message::Column column, std::string_view number);
  // Any other kind but null.
  Status other(message::Column column, json::Kind kind, std::string_view text);
  // There is nothing in the column, whatever was before.
  void null(message::Column column);

  Status field(std::string_view name, message::FieldForm form, std::string_view text) {
    return builder_.add_field(name, form, text);
  }
  void null_field(std::string_view name) { builder_.drop_field(name); }
  // The text of a field goes to the column, if that has nothing.
  Status move_field(std::string_view name, message::Column column);
  void id(const std::array<char, message::kIdBytes>& id) { builder_.set_id(id); }

  // Adds the row. Errors: names in an XML text; the time; those of Admission.
  Status finish();

 private:
  Status set_time(const Result<PreciseTime>& time, std::string_view shown);

  const Options& options_;
  Admission admission_;
  message::Builder builder_;
  XmlNames xml_names_;
  bool has_time_ = false;
  PreciseTime time_;
  std::string_view time_shown_;
  std::string_view text_;  // of Column::text, if there is one
};

}  // namespace varve::protocol::messages
