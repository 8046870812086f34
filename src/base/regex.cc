// SPDX-License-Identifier: Apache-2.0
#include "base/regex.h"

#include <re2/re2.h>

#include <charconv>
#include <string>
#include <utility>

namespace varve {
namespace {

constexpr std::size_t kTold = 200;                                  // bytes of an expression, or of what is said of it
constexpr std::uint64_t kStepsUntilAsked = std::uint64_t{1} << 22;  // some 20 ms, if each of them is taken

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

re2::RE2::Options options_of(std::size_t memory, bool captures = false) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_dot_nl(true);
  options.set_never_capture(!captures);
  options.set_max_mem(static_cast<std::int64_t>(memory));
  return options;
}

std::string said_of(std::string_view expression, std::string_view what) {
  return "regular expression '" + std::string(expression.substr(0, kTold)) + "': " + std::string(what.substr(0, kTold));
}

thread_local RegexMeter* meter_of_thread = nullptr;

}  // namespace

Result<Regex> Regex::compile(std::string_view expression) {
  Regex regex;
  regex.re2_ = std::make_shared<const re2::RE2>(piece(expression), options_of(kMemoryMax));
  if (regex.re2_->error_code() == re2::RE2::ErrorPatternTooLarge) {
    return fail(Code::invalid, said_of(expression, "it takes more than 1 MiB when it is compiled, which is the most"));
  }
  if (!regex.re2_->ok()) return fail(Code::invalid, said_of(expression, regex.re2_->error()));
  regex.instructions_ = static_cast<std::size_t>(regex.re2_->ProgramSize());
  return regex;
}

// A program for which there is no room at all is not compiled.
Status Regex::check(std::string_view expression) {
  constexpr std::size_t kNoRoom = 64;
  const re2::RE2 parsed(piece(expression), options_of(kNoRoom));
  if (parsed.ok() || parsed.error_code() == re2::RE2::ErrorPatternTooLarge) return {};
  return fail(Code::invalid, said_of(expression, parsed.error()));
}

bool Regex::matches(std::string_view value) const {
  if (meter_of_thread != nullptr && !meter_of_thread->take(*this, value.size())) return false;
  return re2::RE2::FullMatch(piece(value), *re2_);
}

Result<CapturingRegex> CapturingRegex::compile(std::string_view expression) {
  VARVE_ASSIGN_OR_RETURN(Regex plain, Regex::compile(expression));
  CapturingRegex regex(std::move(plain));
  regex.re2_ = std::make_shared<const re2::RE2>(piece(expression), options_of(Regex::kMemoryMax, true));
  if (!regex.re2_->ok()) return fail(Code::invalid, said_of(expression, regex.re2_->error()));
  return regex;
}

std::optional<std::vector<std::string_view>> CapturingRegex::groups(std::string_view value) const {
  if (!plain_.matches(value)) return std::nullopt;
  std::vector<re2::StringPiece> found(1 + static_cast<std::size_t>(re2_->NumberOfCapturingGroups()));
  if (!re2_->Match(piece(value), 0, value.size(), re2::RE2::ANCHOR_BOTH, found.data(),
                   static_cast<int>(found.size()))) {
    return std::nullopt;
  }
  std::vector<std::string_view> out;
  for (const re2::StringPiece& one : found) out.emplace_back(one.data(), one.size());
  return out;
}

std::optional<std::size_t> CapturingRegex::group(std::string_view name) const {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc() && end == name.data() + name.size()) {
    if (number > static_cast<std::size_t>(re2_->NumberOfCapturingGroups())) return std::nullopt;
    return number;
  }
  const auto& names = re2_->NamedCapturingGroups();
  const auto found = names.find(std::string(name));
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found->second);
}

RegexMeter::RegexMeter(std::function<Status()> go_on, std::uint64_t steps_of_value)
    : go_on_(std::move(go_on)), steps_of_value_(steps_of_value), outer_(std::exchange(meter_of_thread, this)) {}

RegexMeter::~RegexMeter() { meter_of_thread = outer_; }

bool RegexMeter::take(const Regex& regex, std::size_t bytes) {
  if (!status_) return false;
  const std::uint64_t steps = regex.steps(bytes);
  if (steps > steps_of_value_) {
    status_ = fail(Code::limit, "a regular expression of " + std::to_string(regex.instructions()) +
                                    " instructions is too large for a value of " + std::to_string(bytes) +
                                    " bytes: together they may be " + std::to_string(steps_of_value_));
    return false;
  }
  steps_ += steps;
  if (steps_ >= kStepsUntilAsked) {
    steps_ = 0;
    status_ = go_on_();
  }
  return status_.has_value();
}

}  // namespace varve
