// SPDX-License-Identifier: Apache-2.0
// Any bytes as an answer: its chunks and rows are the same however it is cut, and each row becomes a line.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "logs/chunks.h"
#include "logs/line.h"
#include "logs/row_splitter.h"
#include "logs/syslog_sender.h"

namespace {

using namespace varve::logs;

std::string unchunked(std::string_view bytes, std::size_t step) {
  Chunks chunks;
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    if (!chunks.take(bytes.substr(at, step), out)) return out + "!";
  }
  return out;
}

std::string lines(std::string_view bytes, std::size_t step, RowSplitter::Form form) {
  RowSplitter rows(form);
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    rows.add(bytes.substr(at, step));
    while (const auto json = rows.next()) {
      varve::protocol::json::Reader reader(*json);
      const auto row = varve::protocol::json::read_tree(reader);
      if (!row) {
        out += "no row\n";
        continue;
      }
      for (const Format format : {Format::text, Format::contrail, Format::raw, Format::logfmt}) {
        Options options;
        options.format = format;
        append_line(out, *row, options);
        options.fields = {"a"};
        append_line(out, *row, options);
      }
      out += syslog_message(*row);
    }
  }
  return out + (rows.finish() ? "." : "!");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t step = 1 + data[0] % 16;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (unchunked(bytes, step) != unchunked(bytes, std::max<std::size_t>(size, 1))) std::abort();
  for (const auto form : {RowSplitter::Form::lines, RowSplitter::Form::list}) {
    if (lines(bytes, step, form) != lines(bytes, size, form)) std::abort();
  }
  return 0;
}
