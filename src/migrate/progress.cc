// SPDX-License-Identifier: Apache-2.0
#include "migrate/progress.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include "migrate/progress_file.h"

namespace varve::migrate {
namespace {

constexpr std::string_view kFirstLine = "varve migrate kairosdb 2\n";

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
  const bool is_read =
      static_cast<bool>(in >> m.cells >> m.samples >> m.old >> m.other >> m.bad >> m.too_old >> types >> m.last_ms);
  m.types = static_cast<std::uint8_t>(types);
  return is_read;
}

}  // namespace

std::size_t Progress::ranges_done() const {
  return static_cast<std::size_t>(std::count(done.begin(), done.end(), true));
}

std::string to_text(const Progress& progress) {
  std::string out(kFirstLine);
  const auto n = [](std::uint64_t number) { return std::to_string(number); };
  append_line(out, {"source", to_word(progress.source)});
  append_line(out, {"target", to_word(progress.target)});
  append_line(out, {"started", std::to_string(progress.started_ms)});
  append_line(out, {"done", to_ranges(progress.done)});
  append_line(out, {"bad-keys", n(progress.totals.bad_keys)});
  for (const auto& [name, count] : progress.totals.other_types) append_line(out, {"other", to_word(name), n(count)});
  for (const auto& [name, m] : progress.totals.metrics) {
    append_line(out, {"metric", to_word(name), n(m.cells), n(m.samples), n(m.old), n(m.other), n(m.bad), n(m.too_old),
                      n(m.types), std::to_string(m.last_ms)});
  }
  return with_checksum(std::move(out));
}

Result<Progress> from_text(std::string_view text) {
  VARVE_ASSIGN_OR_RETURN(const auto lines, checked_lines(kFirstLine, text));
  Progress progress;
  for (const auto& line : lines) {
    if (!read_line(line, progress)) return fail(Code::corrupt, "not understood: " + line);
  }
  return progress;
}

Result<std::optional<Progress>> load_progress(const std::string& path) {
  VARVE_ASSIGN_OR_RETURN(const auto text, load_file(path));
  if (!text) return std::optional<Progress>();
  auto progress = from_text(*text);
  if (!progress) return fail(Code::corrupt, path + ": " + progress.error().message);
  return std::optional(std::move(*progress));
}

Status save_progress(const std::string& path, const Progress& progress) {
  return replace_file(path, to_text(progress));
}

}  // namespace varve::migrate
