// SPDX-License-Identifier: Apache-2.0
// SegmentReader: iterates over the records in the bytes of one segment, and can skip damage. It does not check that
// their sequence is complete: see log_replay.h.
#pragma once

#include <optional>
#include <span>

#include "base/result.h"
#include "engine/rocksdb/log/log_format.h"

namespace varve::engine::rocksdb {

class SegmentReader {
 public:
  // Errors: corrupt (not a log), unsupported (a later version). A truncated head, or one of zeros only, is what a crash
  // can leave: such a segment has version 0.
  static Result<SegmentReader> open(std::span<const std::byte> bytes);
  // Of a segment whose head is damaged: the records begin where they always do.
  static SegmentReader behind_head(std::span<const std::byte> bytes) { return {bytes, kLogVersion}; }
  // Reads a part of a segment, or several concatenated.
  static SegmentReader within(std::span<const std::byte> bytes) { return {bytes, 0}; }

  [[nodiscard]] std::uint32_t version() const { return version_; }
  [[nodiscard]] std::size_t offset() const { return at_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }

  // Returns the valid record at offset() and moves past it; nullopt at the end, or if there is no valid record here.
  std::optional<LogRecord> next();

  // Moves to the next valid record after offset(). False: there is none; moves to the end.
  bool skip();

  // Are there only zeros where the head of a record should be? Then it was never written, or not synced.
  [[nodiscard]] bool blank() const;
  // The head and the first mark are one write. Is it there to its last byte? Zeros are what a crash leaves of its end.
  static bool has_whole_opening(std::span<const std::byte> bytes);

 private:
  SegmentReader(std::span<const std::byte> bytes, std::uint32_t version)
      : bytes_(bytes), version_(version), at_(version == 0 ? 0 : kSegmentHeadBytes) {}

  std::span<const std::byte> bytes_;
  std::uint32_t version_;
  std::size_t at_;
};

}  // namespace varve::engine::rocksdb
