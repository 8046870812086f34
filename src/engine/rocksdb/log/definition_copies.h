// SPDX-License-Identifier: Apache-2.0
// DefinitionCopies: the copies of the log's definitions, which only a repair reads. Their records have the sequences of
// those that they are copies of, so they are read in the order of these, whatever files they are in.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/rocksdb/log/mapped_file.h"

namespace varve::engine::rocksdb {

class DefinitionCopies {
 public:
  using Define = std::function<void(std::span<const std::byte> definitions)>;

  // Of these segments, as far as they can be read, behind the record `after`.
  DefinitionCopies(const std::string& directory, std::span<const std::uint64_t> segments, std::uint64_t after);

  // Passes on what was not passed on yet, up to the record `sequence`.
  void pass_on(std::uint64_t sequence, const Define& define);

 private:
  void read(const std::string& path, std::uint64_t after);

  std::vector<std::unique_ptr<MappedFile>> files_;
  std::vector<std::pair<std::uint64_t, std::span<const std::byte>>> copies_;  // by sequence
  std::size_t next_ = 0;
};

}  // namespace varve::engine::rocksdb
