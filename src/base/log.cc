// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <atomic>
#include <ctime>
#include <new>

#include <unistd.h>

namespace varve::log {
namespace {

std::atomic<Level> least_level{Level::info};

void append_time(std::string& line) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  std::tm utc{};
  ::gmtime_r(&now.tv_sec, &utc);
  char text[64];
  const std::size_t n = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  line.append(text, n);
  const auto ms = static_cast<unsigned>(now.tv_nsec / 1'000'000);
  line += '.';
  line += static_cast<char>('0' + ms / 100);
  line += static_cast<char>('0' + ms / 10 % 10);
  line += static_cast<char>('0' + ms % 10);
  line += 'Z';
}

void append_value(std::string& line, std::string_view value) {
  const bool plain = !value.empty() && value.find_first_of(" \"=\\\n\r\t") == std::string_view::npos;
  if (plain) {
    line += value;
    return;
  }
  line += '"';
  for (const char c : value) {
    switch (c) {
      case '"': line += "\\\""; break;
      case '\\': line += "\\\\"; break;
      case '\n': line += "\\n"; break;
      case '\r': line += "\\r"; break;
      case '\t': line += "\\t"; break;
      default: line += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  line += '"';
}

constexpr std::string_view name_of(Level level) {
  switch (level) {
    case Level::debug: return "debug";
    case Level::info: return "info";
    case Level::warn: return "warn";
    case Level::error: return "error";
  }
  return "?";
}

void write_line(Level level, std::string_view message, std::initializer_list<Field> fields) {
  std::string line = "ts=";
  append_time(line);
  line += " level=";
  line += name_of(level);
  line += " msg=";
  append_value(line, message);
  for (const auto& field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    append_value(line, field.value);
  }
  line += '\n';
  // A log line that cannot be written has nowhere else to go.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

void set_level(Level least) { least_level = least; }

void write(Level level, std::string_view message, std::initializer_list<Field> fields) {
  if (level < least_level.load(std::memory_order_relaxed)) return;
  try {
    write_line(level, message, fields);
  } catch (const std::bad_alloc&) {
    // What ran out of memory is told all the same, if only by its message.
    [[maybe_unused]] auto written = ::write(STDERR_FILENO, message.data(), message.size());
    written = ::write(STDERR_FILENO, "\n", 1);
  }
}

}  // namespace varve::log
