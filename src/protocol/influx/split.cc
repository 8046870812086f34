// SPDX-License-Identifier: Apache-2.0
#include "protocol/influx/split.h"

#include <cstring>

#include "protocol/influx/bytes.h"

namespace varve::protocol::influx {
namespace {

// End of a field's name: its '='; nullptr if something else comes first.
const char* find_equals(const char* at) {
  for (;; ++at) {
    at = find_any(at, "\\=, ");
    if (*at == '=') return at;
    if (*at != '\\') return nullptr;
    while (at[1] == '\\') ++at;
    if (at[1] != '\n') ++at;
  }
}

const char* skip_spaces(const char* at) {
  while (*at == ' ') ++at;
  return at;
}

void append_unescaped(std::string& to, std::string_view raw, std::string_view escaped) {
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\\' && i + 1 < raw.size() && escaped.find(raw[i + 1]) != std::string_view::npos) ++i;
    to += raw[i];
  }
}

}  // namespace

void append_name(std::string& to, std::string_view raw) { append_unescaped(to, raw, ",= "); }
void append_text(std::string& to, std::string_view raw) { append_unescaped(to, raw, "\"\\"); }

Status Splitter::split(const char* at, Line& line) {
  cut_ = false;
  line.fields.clear();
  line.time = {};
  const char* name_end = find_name_end(at);
  if (name_end == nullptr) return fail(Code::invalid, "the line has no fields");
  line.name = {at, name_end};
  if (line.name.empty() || *at == ',') return fail(Code::invalid, "the line has no measurement");
  return read_fields(skip_spaces(name_end), line);
}

Status Splitter::read_fields(const char* at, Line& line) {
  for (;;) {
    Field& field = line.fields.emplace_back();
    const char* equals = find_equals(at);
    if (equals == nullptr) {
      if (*at == '\n' || *at == '\r') return fail(Code::invalid, "the line has no fields");
      return fail(Code::invalid, "a field has no '='");
    }
    field.name = {at, equals};
    if (field.name.empty()) return fail(Code::invalid, "a field has no name");
    at = equals + 1;
    if (*at == '"') {
      VARVE_ASSIGN_OR_RETURN(at, read_text(at + 1, field));
    } else {
      const char* token_end = find_any(at, ", ");
      std::string_view token{at, token_end};
      if (*token_end == '\n' && token.ends_with('\r')) token.remove_suffix(1);
      VARVE_ASSIGN_OR_RETURN(field.number, read_value(token));
      at += token.size();
    }
    if (*at != ',') return read_end(at, line);
    ++at;
  }
}

// `at` is behind the opening quote; the answer is behind the closing one.
Result<const char*> Splitter::read_text(const char* at, Field& field) {
  const char* begin = at;
  while (no_quote_from_ == nullptr || at < no_quote_from_) {
    const auto* quote = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end_ - at)));
    if (quote == nullptr) {
      no_quote_from_ = at;
      break;
    }
    std::size_t backslashes = 0;
    while (quote - backslashes > begin && quote[-1 - static_cast<std::ptrdiff_t>(backslashes)] == '\\') ++backslashes;
    at = quote + 1;
    if (backslashes % 2 == 0) {
      field.is_text = true;
      field.text = {begin, quote};
      return at;
    }
  }
  cut_ = true;
  return fail(Code::invalid, "a quoted string is not closed");
}

Status Splitter::read_end(const char* at, Line& line) {
  if (*at != ' ' && *at != '\n' && !(*at == '\r' && at[1] == '\n')) {
    return fail(Code::invalid, "after a quoted string comes neither a comma nor a space");
  }
  at = skip_spaces(at);
  const char* newline = find_any(at, "");
  line.next = newline + 1;
  line.time = {at, newline};
  if (line.time.ends_with('\r')) line.time.remove_suffix(1);
  while (line.time.ends_with(' ')) line.time.remove_suffix(1);
  return {};
}

}  // namespace varve::protocol::influx
