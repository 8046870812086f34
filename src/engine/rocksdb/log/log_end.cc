// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/log/log_end.h"

#include <cstring>
#include <filesystem>
#include <span>

#include "base/bytes.h"
#include "base/log.h"
#include "codec/crc32c.h"
#include "engine/rocksdb/log/durable_file.h"
#include "engine/rocksdb/log/mapped_file.h"

namespace varve::engine::rocksdb {
namespace {

constexpr char kEndMagic[8] = {'v', 'a', 'r', 'v', 'e', 'e', 'n', 'd'};
constexpr std::uint32_t kEndVersion = 1;
constexpr std::size_t kEndHeadBytes = 16;  // magic, version:u32, crc:u32
constexpr std::size_t kEndBytes = 32;      // and segment:u64, sequence:u64

std::optional<LogEnd> decode_end(std::span<const std::byte> bytes) {
  if (bytes.size() != kEndBytes || std::memcmp(bytes.data(), kEndMagic, sizeof kEndMagic) != 0) return std::nullopt;
  if (load_le<std::uint32_t>(bytes.data() + 8) != kEndVersion) return std::nullopt;
  if (codec::crc32c(bytes.subspan(kEndHeadBytes)) != load_le<std::uint32_t>(bytes.data() + 12)) return std::nullopt;
  return LogEnd{load_le<std::uint64_t>(bytes.data() + 16), load_le<std::uint64_t>(bytes.data() + 24)};
}

}  // namespace

std::string end_path(const std::string& directory) { return directory + "/END"; }

Status write_end(const std::string& directory, LogEnd end) {
  std::byte bytes[kEndBytes] = {};
  std::memcpy(bytes, kEndMagic, sizeof kEndMagic);
  store_le(bytes + 8, kEndVersion);
  store_le(bytes + 16, end.segment);
  store_le(bytes + 24, end.sequence);
  store_le(bytes + 12, codec::crc32c(std::span<const std::byte>(bytes).subspan(kEndHeadBytes)));
  const std::span<const std::byte> part(bytes);
  return write_durably(end_path(directory), {&part, 1});
}

std::optional<LogEnd> read_end(const std::string& directory) {
  const std::string path = end_path(directory);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const auto file = MappedFile::open(path);
  const auto end = file ? decode_end((*file)->bytes()) : std::nullopt;
  if (!end) {
    log::warn("how far the log goes cannot be read: a last segment that is gone would not be noticed",
              {{"file", path}});
  }
  return end;
}

}  // namespace varve::engine::rocksdb
