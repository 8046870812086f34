// SPDX-License-Identifier: Apache-2.0
// MappedFile: a file mapped into memory for reading.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "engine/rocksdb/log/log_format.h"

namespace varve::engine::rocksdb {

class MappedFile {
 public:
  // Error: io.
  static Result<std::unique_ptr<MappedFile>> open(const std::string& path);
  // Of an open file, which stays open; `path` is for the error. Error: io.
  static Result<std::unique_ptr<MappedFile>> of_descriptor(int fd, const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return {at_, size_}; }
  [[nodiscard]] const FileIdentity& identity() const { return identity_; }

 private:
  MappedFile(const std::byte* at, std::size_t size, FileIdentity identity)
      : at_(at), size_(size), identity_(identity) {}
  const std::byte* at_;
  std::size_t size_;
  FileIdentity identity_;
};

}  // namespace varve::engine::rocksdb
