// SPDX-License-Identifier: Apache-2.0
#include "migrate/progress_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <utility>

#include "base/hex.h"
#include "codec/crc32c.h"

namespace varve::migrate {
namespace {

std::uint32_t checksum(std::string_view text) { return codec::crc32c(std::as_bytes(std::span(text))); }

Error file_error(const std::string& path) {
  const std::string why = std::strerror(errno);  // NOLINT(concurrency-mt-unsafe)
  return {Code::io, path + ": " + why};
}

Status write_all(int fd, std::string_view text, const std::string& path, Sync sync) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(file_error(path));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (sync == Sync::now && ::fsync(fd) != 0) return fail(file_error(path));
  return {};
}

}  // namespace

std::string to_word(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte != '%' && byte != 0x7f) {
      out += c;
    } else {
      append_hex(out += '%', {&c, 1});
    }
  }
  return out.empty() ? "%" : out;
}

std::optional<std::string> from_word(std::string_view word) {
  std::string out;
  if (word == "%") return out;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] != '%') {
      out += word[i];
      continue;
    }
    unsigned byte = 0;
    if (i + 2 >= word.size() || std::from_chars(&word[i + 1], word.data() + i + 3, byte, 16).ptr != word.data() + i + 3)
      return std::nullopt;
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

std::string to_ranges(const std::vector<bool>& done) {
  std::string out;
  for (std::size_t i = 0; i < done.size(); ++i) {
    if (!done[i]) continue;
    std::size_t last = i;
    while (last + 1 < done.size() && done[last + 1]) ++last;
    out += (out.empty() ? "" : ",") + std::to_string(i) + "-" + std::to_string(last);
    i = last;
  }
  return out.empty() ? "none" : out;
}

bool read_ranges(const std::string& text, std::vector<bool>& done) {
  if (text == "none") return true;
  std::istringstream in(text);
  do {
    std::size_t first = 0, last = 0;
    char dash = 0;
    if (!(in >> first >> dash >> last) || dash != '-' || first > last || last >= done.size()) return false;
    std::fill(done.begin() + static_cast<std::ptrdiff_t>(first), done.begin() + static_cast<std::ptrdiff_t>(last) + 1,
              true);
  } while (in.get() == ',');
  return in.eof();
}

void append_line(std::string& out, std::initializer_list<std::string> words) {
  for (bool first = true; const auto& word : words) {
    if (!std::exchange(first, false)) out += ' ';
    out += word;
  }
  out += '\n';
}

std::string with_checksum(std::string text) {
  const std::uint32_t sum = checksum(text);
  return std::move(text) + "end " + std::to_string(sum) + "\n";
}

Result<std::vector<std::string>> checked_lines(std::string_view first_line, std::string_view text) {
  if (!text.starts_with(first_line)) return fail(Code::corrupt, "this is not the progress of such a migration");
  const std::size_t end = text.rfind("\nend ");
  if (end == std::string_view::npos || end + 1 < first_line.size() ||
      text.substr(end + 1) != "end " + std::to_string(checksum(text.substr(0, end + 1))) + "\n") {
    return fail(Code::corrupt, "it is damaged");
  }
  std::vector<std::string> out;
  std::istringstream lines(std::string(text.substr(first_line.size(), end + 1 - first_line.size())));
  for (std::string line; std::getline(lines, line);) out.push_back(std::move(line));
  return out;
}

Result<std::optional<std::string>> load_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return std::optional<std::string>();
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return fail(Code::io, path + ": it cannot be read");
  return std::optional(std::move(text).str());
}

Status replace_file(const std::string& path, std::string_view text) {
  const std::string fresh = path + ".new";
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return fail(file_error(fresh));
  const Status written = write_all(fd, text, fresh, Sync::now);
  ::close(fd);
  VARVE_RETURN_IF_ERROR(written);
  if (std::rename(fresh.c_str(), path.c_str()) != 0) return fail(file_error(path));
  const std::string folder = std::filesystem::absolute(path).parent_path();
  const int dir = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) return fail(file_error(folder));
  const bool synced = ::fsync(dir) == 0;
  ::close(dir);
  if (!synced) return fail(file_error(folder));
  return {};
}

Status append_file(const std::string& path, std::string_view text, Sync sync) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) return fail(file_error(path));
  Status written = write_all(fd, text, path, sync);
  ::close(fd);
  return written;
}

}  // namespace varve::migrate
