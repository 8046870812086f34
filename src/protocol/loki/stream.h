// SPDX-License-Identifier: Apache-2.0
// Stream: the entries of one stream as messages, whose labels are fields and some of them columns, too.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "message/builder.h"
#include "protocol/loki/labels.h"
#include "protocol/messages/ndjson.h"
#include "protocol/messages/shared_bytes.h"
#include "protocol/rfc3339.h"

namespace varve::protocol::loki {

// Reused from stream to stream. For one thread.
class Stream {
 public:
  Stream(const messages::Limits& limits, std::size_t body_bytes, message::Batch& batch)
      : limits_(limits),
        rows_bytes_max_(messages::rows_bytes_max(body_bytes)),
        batch_(batch),
        admission_(limits, batch),
        builder_(admission_.rows()) {}

  // The stream that has these labels, which are copied. Error: invalid, limit, in Loki's words.
  Status open(std::span<const Label> labels);
  // Adds an entry, if overload leaves it. Errors (invalid, too_old, too_large, limit) in Loki's words.
  Status add(PreciseTime time, std::string_view line, std::span<const Label> metadata);

 private:
  static constexpr std::size_t kMapped = 3;  // source, module, level
  using Mapped = std::array<std::string_view, kMapped>;

  static Status check_labels(std::span<const Label> labels);
  Status add_metadata(std::span<const Label> metadata);
  Status set_columns(const Mapped& mapped);
  [[nodiscard]] bool has_label(std::string_view name) const;
  // `counts(label)`: may a column be set from it?
  template <class Counts>
  static Mapped mapped_of(std::span<const Label> labels, const Counts& counts);
  Status named(const Status& status) const;

  const messages::Limits& limits_;
  const std::size_t rows_bytes_max_;
  const message::Batch& batch_;
  messages::Admission admission_;
  message::Builder builder_;
  std::string bytes_;  // of labels_
  Labels labels_;
  Mapped mapped_;
  std::deque<std::string> renamed_;  // metadata of this entry
};

}  // namespace varve::protocol::loki
