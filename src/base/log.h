// SPDX-License-Identifier: Apache-2.0
// logfmt lines to stderr: `ts=2026-01-02T03:04:05.678Z level=info msg="…" key=value`.
//   log::info("listening", {{"address", addr}, {"port", port}});
// Thread-safe; one write() a line. Values are quoted when they need it.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace varve::log {

enum class Level { debug, info, warn, error };

struct Field {
  std::string_view key;
  std::string value;
  Field(std::string_view k, std::string_view v) : key(k), value(v) {}
  Field(std::string_view k, const std::string& v) : key(k), value(v) {}
  Field(std::string_view k, const char* v) : key(k), value(v) {}
  template <class T>
    requires(std::integral<T> || std::floating_point<T>)
  Field(std::string_view k, T v) : key(k), value(std::to_string(v)) {}
};

void set_level(Level least);
void write(Level level, std::string_view message, std::initializer_list<Field> fields);

inline void debug(std::string_view m, std::initializer_list<Field> f = {}) { write(Level::debug, m, f); }
inline void info(std::string_view m, std::initializer_list<Field> f = {}) { write(Level::info, m, f); }
inline void warn(std::string_view m, std::initializer_list<Field> f = {}) { write(Level::warn, m, f); }
inline void error(std::string_view m, std::initializer_list<Field> f = {}) { write(Level::error, m, f); }

}  // namespace varve::log
