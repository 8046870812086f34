// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/log/log_aside.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "engine/rocksdb/log/durable_file.h"
#include "engine/rocksdb/log/mapped_file.h"
#include "engine/rocksdb/log/segment_reader.h"

namespace varve::engine::rocksdb {
namespace {

constexpr char kAsideMagic[8] = {'v', 'a', 'r', 'v', 's', 'i', 'd', 'e'};
constexpr std::uint32_t kAsideVersion = 1;
constexpr std::size_t kAsideHeadBytes = 24;  // magic, version:u32, zero:u32, groups:u64

std::string path_of(const std::string& directory, std::uint64_t segment, const char* ending) {
  char name[32];
  std::snprintf(name, sizeof name, "/%016llx%s", static_cast<unsigned long long>(segment), ending);
  return directory + name;
}

}  // namespace

std::string aside_path(const std::string& directory, std::uint64_t segment) {
  return path_of(directory, segment, ".aside");
}

std::string rejected_path(const std::string& directory, std::uint64_t segment) {
  return path_of(directory, segment, ".rejected");
}

std::vector<std::string> aside_files(const std::string& directory) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".aside") paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  return paths;
}

Status write_aside(const std::string& path, std::uint64_t groups, std::span<const std::span<const std::byte>> bytes) {
  std::byte head[kAsideHeadBytes] = {};
  std::memcpy(head, kAsideMagic, sizeof kAsideMagic);
  store_le(head + 8, kAsideVersion);
  store_le(head + 16, groups);
  std::vector<std::span<const std::byte>> parts{head};
  parts.insert(parts.end(), bytes.begin(), bytes.end());
  return write_durably(path, parts);
}

Status read_aside(const std::string& path,
                  const std::function<Status(const LogRecord& record, std::uint64_t groups)>& apply) {
  VARVE_ASSIGN_OR_RETURN(const auto file, MappedFile::open(path));
  const auto bytes = file->bytes();
  if (bytes.size() < kAsideHeadBytes || std::memcmp(bytes.data(), kAsideMagic, sizeof kAsideMagic) != 0) {
    return fail(Code::corrupt, path + " is not what a start has set aside");
  }
  if (load_le<std::uint32_t>(bytes.data() + 8) != kAsideVersion) {
    return fail(Code::corrupt, path + " is of a version that this build does not read");
  }
  const auto groups = load_le<std::uint64_t>(bytes.data() + 16);
  auto reader = SegmentReader::within(bytes.subspan(kAsideHeadBytes));
  do {
    while (const auto record = reader.next()) {
      if (!record->mark) VARVE_RETURN_IF_ERROR(apply(*record, groups));
    }
  } while (reader.left() > 0 && reader.skip());
  return {};
}

}  // namespace varve::engine::rocksdb
