// SPDX-License-Identifier: Apache-2.0
#include "protocol/syslog/frames.h"

#include <algorithm>

#include "base/check.h"

namespace varve::protocol::syslog {
namespace {

constexpr std::size_t kCountDigitsMax = 18;  // more of them are no count
constexpr std::size_t kNowhere = std::string_view::npos;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string_view without_end(std::string_view frame) {
  if (frame.ends_with('\0')) frame.remove_suffix(1);
  if (frame.ends_with('\n')) {
    frame.remove_suffix(1);
    if (frame.ends_with('\r')) frame.remove_suffix(1);
  }
  return frame;
}

void Frames::add(std::string_view piece) {
  held_.erase(0, at_);
  searched_ -= std::min(searched_, at_);
  at_ = 0;
  held_.append(piece);
}

void Frames::shrink() {
  std::string(rest()).swap(held_);
  searched_ -= std::min(searched_, at_);
  at_ = 0;
}

std::optional<std::string_view> Frames::next() {
  for (;;) {
    if (rest().empty() || !skip() || !skip_end()) return std::nullopt;
    if (rest().empty()) return std::nullopt;
    const std::uint64_t refused = refusals_.of(Refusal::too_long);
    const Count c = count();
    if (c.open) return std::nullopt;
    const auto frame = c.body != 0 ? counted(c) : line();
    if (frame || refusals_.of(Refusal::too_long) == refused) return frame;
  }
}

// What is left of a frame that is too long. False: more of it is to come.
bool Frames::skip() {
  const std::size_t now = std::min(skip_bytes_, rest().size());
  at_ += now;
  skip_bytes_ -= now;
  if (skip_bytes_ != 0) return false;
  if (!skip_line_) return true;
  const std::size_t end = find_end(rest().size());
  if (end == kNowhere) {
    at_ = held_.size();
    return false;
  }
  skip_line_ = false;
  passed_end(end);
  return true;
}

// A sender that counts may end its messages besides, and one that ends them with LF may send a string's NUL, too.
// False: what is there may still become such an end.
bool Frames::skip_end() {
  if (rest().empty() || after_ == After::nothing) return true;
  const char first = rest().front();
  const bool counted = after_ == After::count;
  if (counted && first == '\r' && rest().size() == 1 && !ended_) return false;
  if ((first == '\n' && (counted || after_ == After::nul)) || (first == '\0' && (counted || after_ == After::lf))) {
    ++at_;
  } else if (counted && rest().starts_with("\r\n")) {
    at_ += 2;
  }
  after_ = After::nothing;
  return true;
}

// Digits are a count if a blank follows, and then a priority; or something else, but no line's end before the last
// byte: that is what a line of text with a number in front has.
Frames::Count Frames::count() const {
  const std::string_view in = rest();
  if (in.front() < '1' || in.front() > '9') return {};
  std::size_t digits = 0;
  std::size_t bytes = 0;
  for (; digits < in.size() && digits < kCountDigitsMax && is_digit(in[digits]); ++digits) {
    bytes = bytes * 10 + static_cast<std::size_t>(in[digits] - '0');
  }
  const std::size_t body = digits + 1;
  if (body >= in.size() && !ended_ && (digits == in.size() || in[digits] == ' ')) return {.open = true};
  if (body >= in.size() || in[digits] != ' ') return {};
  if (in[body] == '<') return {.body = body, .bytes = bytes};
  if (bytes > max_) return {};
  const std::string_view text = in.substr(body, bytes);
  const std::size_t lf = text.find('\n');
  if (lf != kNowhere && lf + 1 < bytes) return {};
  if (text.size() == bytes) return {.body = body, .bytes = bytes};
  return {.open = !ended_};
}

std::optional<std::string_view> Frames::counted(Count count) {
  if (count.bytes > max_) {
    refusals_.add(Refusal::too_long);
    at_ += count.body;
    skip_line_ = count.bytes > kCountMax;
    if (!skip_line_) {
      skip_bytes_ = count.bytes;
      after_ = After::count;
    }
    return std::nullopt;
  }
  if (rest().size() < count.body + count.bytes) {
    if (ended_) {
      refusals_.add(Refusal::incomplete);
      at_ = held_.size();
    }
    return std::nullopt;
  }
  const std::string_view frame = rest().substr(count.body, count.bytes);
  at_ += count.body + count.bytes;
  after_ = After::count;
  return without_end(frame);
}

std::optional<std::string_view> Frames::line() {
  const std::size_t start = at_;
  const std::size_t end = find_end(max_ + 1);
  if (end == kNowhere) {
    if (rest().size() > max_) {
      refusals_.add(Refusal::too_long);
      skip_line_ = true;
      return std::nullopt;
    }
    if (!ended_) return std::nullopt;
    at_ = held_.size();
    return std::string_view(held_).substr(start);
  }
  std::string_view frame = std::string_view(held_).substr(start, end - start);
  if (held_[end] == '\n' && frame.ends_with('\r')) frame.remove_suffix(1);
  passed_end(end);
  return frame;
}

// The first line's end among the next `most` bytes: a position in held_. What was searched is not searched again.
std::size_t Frames::find_end(std::size_t most) {
  const std::size_t from = std::max(at_, searched_);
  const std::size_t to = std::min(held_.size(), at_ + most);
  if (from >= to) return kNowhere;
  std::string_view in = std::string_view(held_).substr(from, to - from);
  const std::size_t lf = in.find('\n');
  if (lf != kNowhere) in = in.substr(0, lf);
  const std::size_t nul = in.find('\0');
  const std::size_t end = nul != kNowhere ? nul : lf;
  searched_ = end == kNowhere ? to : from + end;
  return end == kNowhere ? kNowhere : from + end;
}

void Frames::passed_end(std::size_t end) {
  check(end >= at_ && end < held_.size(), "a line's end lies in what is held");
  after_ = held_[end] == '\n' ? After::lf : After::nul;
  at_ = end + 1;
}

}  // namespace varve::protocol::syslog
