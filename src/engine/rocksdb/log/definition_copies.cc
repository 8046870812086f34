// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/log/definition_copies.h"

#include <algorithm>
#include <filesystem>

#include "base/log.h"
#include "engine/rocksdb/log/log.h"
#include "engine/rocksdb/log/segment_reader.h"

namespace varve::engine::rocksdb {

DefinitionCopies::DefinitionCopies(const std::string& directory, std::span<const std::uint64_t> segments,
                                   std::uint64_t after) {
  for (const std::uint64_t segment : segments) read(definitions_path(directory, segment), after);
  std::ranges::stable_sort(copies_, {}, [](const auto& copy) { return copy.first; });
}

void DefinitionCopies::read(const std::string& path, std::uint64_t after) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return;
  auto file = MappedFile::open(path);
  auto reader = file ? SegmentReader::open((*file)->bytes()) : fail(file.error());
  if (!reader) {
    log::warn("the copy of the log's definitions cannot be read", {{"file", path}, {"error", reader.error().message}});
    return;
  }
  do {
    // What follows a gap in the copy is in the record itself, or the gap is there, too.
    while (const auto record = reader->next()) {
      if (record->sequence > after) copies_.emplace_back(record->sequence, record->definitions);
    }
  } while (reader->left() > 0 && reader->skip());
  files_.push_back(std::move(*file));
}

void DefinitionCopies::pass_on(std::uint64_t sequence, const Define& define) {
  for (; next_ < copies_.size() && copies_[next_].first <= sequence; ++next_) define(copies_[next_].second);
}

}  // namespace varve::engine::rocksdb
