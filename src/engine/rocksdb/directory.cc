// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/directory.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/printable.h"
#include "engine/rocksdb/log/durable_file.h"

namespace varve::engine::rocksdb {
namespace {

constexpr int kFormat = 1;

// Of somebody else: no store was made here yet, and there is something that making one does not leave. Names, some of
// them.
std::string strangers_in(const std::string& path) {
  constexpr std::array<std::string_view, 5> kOurs{"wal", "db", "LOCK", "lost+found", ".snapshot"};
  std::string out;
  std::error_code error;
  int shown = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    if (std::ranges::find(kOurs, name) != kOurs.end() || name.starts_with("FORMAT")) continue;
    if (++shown > 3) return out + ", …";
    out += (out.empty() ? "" : ", ") + name;
  }
  return out;
}

Result<int> lock_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (fd < 0) return fail(Code::io, "cannot open " + path + ": " + std::strerror(errno));
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    char holder[32] = {};
    const ssize_t n = ::pread(fd, holder, sizeof holder - 1, 0);
    ::close(fd);
    if (error != EWOULDBLOCK) return fail(Code::io, "cannot lock " + path + ": " + std::strerror(error));
    return fail(Code::conflict,
                path + " is held by another varve" + (n > 0 ? " (process " + std::string(holder) + ")" : ""));
  }
  const std::string pid = std::to_string(::getpid());
  if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, pid.data(), pid.size(), 0) < 0) {
    // Who holds the lock is for people only; a full disk must not keep a store from being read.
  }
  return fd;
}

// Is there a segment of the log, or a table of the database?
bool holds_data(const Directory& directory) {
  std::error_code error;
  for (const auto& [folder, extension] :
       {std::pair{directory.wal(), ".log"}, std::pair{directory.database(), ".sst"}}) {
    for (const auto& file : std::filesystem::directory_iterator(folder, error)) {
      if (file.path().extension() == extension) return true;
    }
  }
  return false;
}

Status check_format(const std::string& path, std::int64_t slot_width_ms) {
  std::ifstream in(path);
  if (!in) return fail(Code::io, "cannot read " + path);
  std::string name;
  std::string key;
  int format = 0;
  std::int64_t width = 0;
  if (!(in >> name >> format >> key >> width) || name != "varve" || key != "slot_width_ms") {
    return fail(Code::corrupt, path + " is not readable");
  }
  if (format != kFormat) {
    return fail(Code::corrupt, path + " is of format " + std::to_string(format) + "; this build reads 1");
  }
  if (width != slot_width_ms) {
    return fail(Code::invalid, "slots.width is " + std::to_string(slot_width_ms) + " ms, but the store was made with " +
                                   std::to_string(width) + " ms (" + path + "), and that cannot be changed");
  }
  return {};
}

}  // namespace

Directory::~Directory() {
  if (lock_fd_ >= 0) ::close(lock_fd_);
}

Result<Directory> Directory::open(const std::string& path, std::int64_t slot_width_ms) {
  Directory directory;
  directory.path_ = path;
  if (std::error_code none; !std::filesystem::exists(directory.format(), none)) {
    if (const std::string names = strangers_in(path); !names.empty()) {
      return fail(Code::conflict, "storage.path: there are other files in " + path + " (" + printable(names) +
                                      "); varve wants a directory of its own, and makes one where there is none");
    }
  }
  // What is acknowledged is only as durable as the names of the folders it is in.
  for (const std::string& folder : {directory.wal(), directory.database()}) {
    VARVE_RETURN_IF_ERROR(make_folder_durably(folder));
  }
  VARVE_ASSIGN_OR_RETURN(directory.lock_fd_, lock_file(path + "/LOCK"));
  directory.slot_width_ms_ = slot_width_ms;
  std::error_code error;
  directory.is_new_ = !std::filesystem::exists(directory.format(), error) && !error;
  if (!directory.is_new_) {
    VARVE_RETURN_IF_ERROR(check_format(directory.format(), slot_width_ms));
  } else if (holds_data(directory)) {
    return fail(Code::corrupt, directory.format() + " is missing, and there are data: it says for which slots.width " +
                                   "they were written, so nothing is read without it");
  }
  return directory;
}

Status Directory::write_format() {
  const std::string text =
      "varve " + std::to_string(kFormat) + "\nslot_width_ms " + std::to_string(slot_width_ms_) + "\n";
  const auto bytes = std::as_bytes(std::span(text));
  return write_durably(format(), {&bytes, 1});
}

}  // namespace varve::engine::rocksdb
