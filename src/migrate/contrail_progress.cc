// SPDX-License-Identifier: Apache-2.0
#include "migrate/contrail_progress.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "migrate/progress_file.h"

namespace varve::migrate {
namespace {

constexpr std::string_view kContrailFirstLine = "varve migrate contrail 1\n";
constexpr std::array<std::string_view, 2> kTables = {"messagetable", "messagetablev2"};

bool read_word(const std::string& word, std::string& into) {
  auto text = from_word(word);
  if (text) into = std::move(*text);
  return text.has_value();
}

bool read_count(std::istream& in, ContrailCount& count) {
  return static_cast<bool>(in >> count.read >> count.written >> count.bad >> count.too_old >> count.ahead >>
                           count.bad_names >> count.fading);
}

bool read_contrail_line(const std::string& line, ContrailProgress& progress) {
  std::istringstream in(line);
  std::string what, word;
  if (!(in >> what)) return false;
  if (const auto table = std::ranges::find(kTables, what); table != kTables.end())
    return read_count(in, progress.totals.tables[static_cast<std::size_t>(table - kTables.begin())]);
  if (what == "started") return static_cast<bool>(in >> progress.started_ms);
  if (what == "times") return static_cast<bool>(in >> progress.totals.first_us >> progress.totals.last_us);
  if (!(in >> word)) return false;
  if (what == "source") return read_word(word, progress.source);
  if (what == "target") return read_word(word, progress.target);
  if (what == "done") return read_ranges(word, progress.done);
  std::string reason;
  return what == "bad" && read_word(word, reason) && static_cast<bool>(in >> progress.totals.reasons[reason]);
}

}  // namespace

std::size_t ContrailProgress::ranges_done() const {
  return static_cast<std::size_t>(std::count(done.begin(), done.end(), true));
}

std::string to_text(const ContrailProgress& progress) {
  std::string out(kContrailFirstLine);
  const auto n = [](auto number) { return std::to_string(number); };
  const ContrailTotals& totals = progress.totals;
  append_line(out, {"source", to_word(progress.source)});
  append_line(out, {"target", to_word(progress.target)});
  append_line(out, {"started", n(progress.started_ms)});
  append_line(out, {"done", to_ranges(progress.done)});
  for (std::size_t i = 0; i < kTables.size(); ++i) {
    const ContrailCount& c = totals.tables[i];
    append_line(out, {std::string(kTables[i]), n(c.read), n(c.written), n(c.bad), n(c.too_old), n(c.ahead),
                      n(c.bad_names), n(c.fading)});
  }
  append_line(out, {"times", n(totals.first_us), n(totals.last_us)});
  for (const auto& [reason, times] : totals.reasons) append_line(out, {"bad", to_word(reason), n(times)});
  return with_checksum(std::move(out));
}

Result<ContrailProgress> contrail_from_text(std::string_view text) {
  VARVE_ASSIGN_OR_RETURN(const auto lines, checked_lines(kContrailFirstLine, text));
  ContrailProgress progress;
  for (const auto& line : lines) {
    if (!read_contrail_line(line, progress)) return fail(Code::corrupt, "not understood: " + line);
  }
  return progress;
}

Result<std::optional<ContrailProgress>> load_contrail_progress(const std::string& path) {
  VARVE_ASSIGN_OR_RETURN(const auto text, load_file(path));
  if (!text) return std::optional<ContrailProgress>();
  auto progress = contrail_from_text(*text);
  if (!progress) return fail(Code::corrupt, path + ": " + progress.error().message);
  return std::optional(std::move(*progress));
}

Status save_progress(const std::string& path, const ContrailProgress& progress) {
  return replace_file(path, to_text(progress));
}

}  // namespace varve::migrate
