// SPDX-License-Identifier: Apache-2.0
// SegmentReader: goes from record to record through the bytes of one segment, and over what is no record. Whether the
// records follow each other is replay's business (log_replay.h).
#pragma once

#include <optional>
#include <span>

#include "base/result.h"
#include "engine/rocksdb/log/log_format.h"

namespace varve::engine::rocksdb {

class SegmentReader {
 public:
  // Error: corrupt (not a log, or of a version that this build does not read). A head that is cut short, or nothing but
  // zeros, is what a crash can leave: such a segment has version 0.
  static Result<SegmentReader> open(std::span<const std::byte> bytes);
  // A piece of a segment, or several one after the other.
  static SegmentReader within(std::span<const std::byte> bytes) { return {bytes, 0}; }

  [[nodiscard]] std::uint32_t version() const { return version_; }
  [[nodiscard]] std::size_t offset() const { return at_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }

  // The good record at offset(), which it goes behind; none at the end and where none stands.
  std::optional<LogRecord> next();

  // Goes to the next good record behind offset(). False: there is none, and it goes to the end.
  bool skip();

  // Nothing but zeros where the head of a record should be: it was never written, or not brought to the disk.
  [[nodiscard]] bool blank() const;

 private:
  SegmentReader(std::span<const std::byte> bytes, std::uint32_t version)
      : bytes_(bytes), version_(version), at_(version == 0 ? 0 : kSegmentHeadBytes) {}

  std::span<const std::byte> bytes_;
  std::uint32_t version_;
  std::size_t at_;
};

}  // namespace varve::engine::rocksdb
