// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/directory.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/log.h"
#include "base/printable.h"
#include "codec/crc32c.h"
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

std::string sum_of(std::string_view lines) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", codec::crc32c(std::as_bytes(std::span(lines))));
  return text;
}

std::string lines_of(int format, std::int64_t slot_width_ms) {
  return "varve " + std::to_string(format) + "\nslot_width_ms " + std::to_string(slot_width_ms) + "\n";
}

struct Format {
  int version = 0;
  std::int64_t slot_width_ms = 0;
  bool has_sum = false;  // files of older versions, and those that people write, have none
};

// nullopt: it is damaged.
std::optional<Format> read_format(const std::string& text) {
  Format format;
  std::istringstream in(text);
  std::string name;
  std::string key;
  if (!(in >> name >> format.version >> key >> format.slot_width_ms) || name != "varve" || key != "slot_width_ms") {
    return std::nullopt;
  }
  std::string sum;
  if (!(in >> key)) return format;
  if (key != "crc32c" || !(in >> sum)) return std::nullopt;
  if (sum != sum_of(lines_of(format.version, format.slot_width_ms))) return std::nullopt;
  format.has_sum = true;
  return format;
}

// It may be another file by mistake.
std::string beginning_of(const std::string& text) {
  constexpr std::size_t kShown = 80;
  return printable(text.substr(0, kShown)) + (text.size() > kShown ? "…" : "");
}

Status damaged(const std::string& path, const std::string& text, std::int64_t slot_width_ms) {
  return fail(Code::corrupt,
              path + " is damaged: it should be the lines `varve 1` and `slot_width_ms N`, N being the " +
                  "slots.width in ms with which the data were written (as it is configured now: " +
                  std::to_string(slot_width_ms) + "), and is `" + beginning_of(text) +
                  "`; write these two lines, or start with --storage.repair=true, which writes it anew " +
                  "if the data fit the slots.width that is configured");
}

}  // namespace

Directory::~Directory() {
  if (lock_fd_ >= 0) ::close(lock_fd_);
}

Result<Directory> Directory::open(const std::string& path, std::int64_t slot_width_ms, bool repair) {
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
    VARVE_RETURN_IF_ERROR(directory.check_format(repair));
  } else if (holds_data(directory)) {
    return fail(Code::corrupt, directory.format() + " is missing, and there are data: it says for which slots.width " +
                                   "they were written, so nothing is read without it");
  }
  return directory;
}

// Where there is no sum a wrong bit may also have made another number of it.
Status Directory::check_format(bool repair) {
  std::ifstream in(format(), std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad() || !in) return fail(Code::io, "cannot read " + format());
  const auto found = read_format(text);
  const bool fits = found && found->version == kFormat && found->slot_width_ms == slot_width_ms_;
  is_damaged_ = repair && !fits && !(found && found->has_sum);
  lacks_sum_ = fits && !found->has_sum;
  if (fits || is_damaged_) return {};
  if (!found) return damaged(format(), text, slot_width_ms_);
  const std::string or_damaged =
      found->has_sum ? ""
                     : "; if it is the file that is wrong, write the right number, or start with --storage.repair=true";
  if (found->version != kFormat) {
    return fail(Code::corrupt,
                format() + " is of format " + std::to_string(found->version) + "; this build reads 1" + or_damaged);
  }
  return fail(Code::invalid, "slots.width is " + std::to_string(slot_width_ms_) + " ms, but the store was made with " +
                                 std::to_string(found->slot_width_ms) + " ms (" + format() +
                                 "), and that cannot be changed" + or_damaged);
}

Status Directory::write_format() {
  std::string text = lines_of(kFormat, slot_width_ms_);
  text += "crc32c " + sum_of(text) + "\n";
  const auto bytes = std::as_bytes(std::span(text));
  return write_durably(format(), {&bytes, 1});
}

void Directory::add_sum() {
  if (!lacks_sum_) return;
  if (auto status = write_format(); !status) {
    log::warn("FORMAT gets its checksum at the next start", {{"error", status.error().message}});
  }
}

}  // namespace varve::engine::rocksdb
