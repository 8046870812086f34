// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/log/mapped_file.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/rocksdb/log/log.h"

namespace varve::engine::rocksdb {

Result<std::unique_ptr<MappedFile>> MappedFile::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(Code::io, "cannot open " + path + ": " + std::strerror(errno));
  auto file = of_descriptor(fd, path);
  ::close(fd);
  return file;
}

Result<std::unique_ptr<MappedFile>> MappedFile::of_descriptor(int fd, const std::string& path) {
  struct stat status{};
  void* at = nullptr;
  // A file whose size is not known must not pass for an empty one: that would be a log without records.
  if (::fstat(fd, &status) != 0) at = MAP_FAILED;
  if (at != MAP_FAILED && status.st_size > 0) {
    at = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
  }
  if (at == MAP_FAILED) return fail(Code::io, "cannot read " + path + ": " + std::strerror(errno));
  return std::unique_ptr<MappedFile>(
      new MappedFile(static_cast<const std::byte*>(at), static_cast<std::size_t>(status.st_size), file_identity(fd)));
}

MappedFile::~MappedFile() {
  if (at_ != nullptr) ::munmap(const_cast<std::byte*>(at_), size_);
}

}  // namespace varve::engine::rocksdb
