// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/log/durable_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace varve::engine::rocksdb {
namespace {

std::unexpected<Error> failed(const char* what, const std::string& path) {
  return fail(Code::io, std::string("cannot ") + what + " " + path + ": " + std::strerror(errno));
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

bool write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Status sync_path(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return failed("open", path);
  const bool good = ::fsync(fd) == 0;
  const int error = errno;
  ::close(fd);
  errno = error;
  if (!good) return failed("sync", path);
  return {};
}

Status write_durably(const std::string& path, std::span<const std::span<const std::byte>> parts) {
  const std::string fresh = path + ".new";
  const int fd = ::open(fresh.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  if (fd < 0) return failed("create", fresh);
  bool good = true;
  for (const auto& part : parts) good = good && write_all(fd, part);
  good = good && ::fsync(fd) == 0;
  const int error = errno;
  ::close(fd);
  errno = error;
  if (!good || ::rename(fresh.c_str(), path.c_str()) != 0) {
    const auto status = failed("write", path);
    ::unlink(fresh.c_str());
    return status;
  }
  return sync_path(folder_of(path));
}

Status make_folder_durably(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return {};
  const std::string above = folder_of(path);
  if (above != path) VARVE_RETURN_IF_ERROR(make_folder_durably(above));
  if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) return failed("make the folder", path);
  return sync_path(above);
}

}  // namespace varve::engine::rocksdb
