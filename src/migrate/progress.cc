// SPDX-License-Identifier: Apache-2.0
#include "migrate/progress.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <utility>

#include "codec/crc32c.h"

namespace varve::migrate {
namespace {

constexpr std::string_view kFirstLine = "varve migrate kairosdb 1\n";
constexpr std::string_view kDigits = "0123456789abcdef";

std::uint32_t checksum(std::string_view text) { return codec::crc32c(std::as_bytes(std::span(text))); }

// One word: blanks, controls and % become %xx; an empty one is a single %.
std::string to_word(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte != '%' && byte != 0x7f) {
      out += c;
    } else {
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
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

std::string ranges_of(const std::vector<bool>& done) {
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

bool read_line(const std::string& line, Progress& progress) {
  std::istringstream in(line);
  std::string what, word;
  if (!(in >> what >> word)) return false;
  const auto name = from_word(word);
  if (!name) return false;
  const auto number = [&](auto& into) {
    return std::from_chars(word.data(), word.data() + word.size(), into).ptr == word.data() + word.size();
  };
  if (what == "source") return progress.source = *name, true;
  if (what == "target") return progress.target = *name, true;
  if (what == "started") return number(progress.started_ms);
  if (what == "done") return read_ranges(word, progress.done);
  if (what == "bad-keys") return number(progress.totals.bad_keys);
  if (what == "other") return static_cast<bool>(in >> progress.totals.other_types[*name]);
  if (what != "metric") return false;
  MetricCount& m = progress.totals.metrics[*name];
  unsigned types = 0;
  const bool is_read = static_cast<bool>(in >> m.cells >> m.samples >> m.old >> m.other >> m.bad >> m.too_old >> types);
  m.types = static_cast<std::uint8_t>(types);
  return is_read;
}

Error file_error(const std::string& path) {
  return {Code::io, path + ": " + std::strerror(errno)};
}  // NOLINT(concurrency-mt-unsafe)

Status write_all(int fd, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(file_error(path));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(fd) != 0) return fail(file_error(path));
  return {};
}

}  // namespace

std::size_t Progress::ranges_done() const {
  return static_cast<std::size_t>(std::count(done.begin(), done.end(), true));
}

std::string to_text(const Progress& progress) {
  std::string out(kFirstLine);
  const auto line = [&](std::initializer_list<std::string> words) {
    for (bool first = true; const auto& word : words) {
      if (!std::exchange(first, false)) out += ' ';
      out += word;
    }
    out += '\n';
  };
  const auto n = [](std::uint64_t number) { return std::to_string(number); };
  line({"source", to_word(progress.source)});
  line({"target", to_word(progress.target)});
  line({"started", std::to_string(progress.started_ms)});
  line({"done", ranges_of(progress.done)});
  line({"bad-keys", n(progress.totals.bad_keys)});
  for (const auto& [name, count] : progress.totals.other_types) line({"other", to_word(name), n(count)});
  for (const auto& [name, m] : progress.totals.metrics) {
    line({"metric", to_word(name), n(m.cells), n(m.samples), n(m.old), n(m.other), n(m.bad), n(m.too_old), n(m.types)});
  }
  return out + "end " + n(checksum(out)) + "\n";
}

Result<Progress> from_text(std::string_view text) {
  const auto wrong = [](std::string why) { return fail(Code::corrupt, std::move(why)); };
  if (!text.starts_with(kFirstLine)) return wrong("this is not the progress of a migration");
  const std::size_t end = text.rfind("\nend ");
  if (end == std::string_view::npos ||
      text.substr(end + 1) != "end " + std::to_string(checksum(text.substr(0, end + 1))) + "\n") {
    return wrong("it is damaged");
  }
  Progress progress;
  std::istringstream lines(std::string(text.substr(kFirstLine.size(), end + 1 - kFirstLine.size())));
  for (std::string line; std::getline(lines, line);) {
    if (!read_line(line, progress)) return wrong("not understood: " + line);
  }
  return progress;
}

Result<std::optional<Progress>> load_progress(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return std::optional<Progress>();
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return fail(Code::io, path + ": it cannot be read");
  auto progress = from_text(text.str());
  if (!progress) return fail(Code::corrupt, path + ": " + progress.error().message);
  return std::optional(std::move(*progress));
}

Status save_progress(const std::string& path, const Progress& progress) {
  const std::string fresh = path + ".new";
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return fail(file_error(fresh));
  const Status written = write_all(fd, to_text(progress), fresh);
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

}  // namespace varve::migrate
