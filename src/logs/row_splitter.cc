// SPDX-License-Identifier: Apache-2.0
#include "logs/row_splitter.h"

#include <utility>

namespace varve::logs {
namespace {

constexpr std::size_t kRowBytesMax = 64UL << 20;
constexpr std::string_view kListHead = "{\"value\":[";  // with any white space

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

void RowSplitter::add(std::string_view bytes) {
  bytes_.erase(0, begin_);
  seen_ -= begin_;
  begin_ = 0;
  bytes_ += bytes;
}

std::optional<std::string_view> RowSplitter::stop(std::string why) {
  why_ = std::move(why);
  return std::nullopt;
}

// To the brace that opens one. False: it has not come.
bool RowSplitter::skip_to_row() {
  for (; begin_ < bytes_.size(); ++begin_) {
    const char c = bytes_[begin_];
    if (is_space(c)) continue;
    if (form_ == Form::list && head_ < kListHead.size()) {
      if (c != kListHead[head_++]) return stop("the answer is not a list of rows"), false;
      continue;
    }
    if (c == '{' && !closed_) return true;
    if (form_ == Form::list && c == ',' && !closed_) continue;
    if (form_ == Form::list && (c == ']' || c == '}')) {
      closed_ = true;
      continue;
    }
    return stop("the answer has something between its rows"), false;
  }
  return false;
}

std::optional<std::string_view> RowSplitter::next() {
  if (failed()) return std::nullopt;
  if (depth_ == 0) {
    const bool there = skip_to_row();
    seen_ = begin_;
    if (!there) return std::nullopt;
  }
  for (; seen_ < bytes_.size(); ++seen_) {
    const char c = bytes_[seen_];
    if (in_text_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_text_ = false;
      }
    } else if (c == '"') {
      in_text_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ == 0) {
      const std::string_view row(bytes_.data() + begin_, ++seen_ - begin_);
      begin_ = seen_;
      return row;
    }
  }
  if (bytes_.size() - begin_ > kRowBytesMax) return stop("a row of the answer is too long");
  return std::nullopt;
}

Status RowSplitter::finish() const {
  if (failed()) return fail(Code::invalid, why_);
  if (depth_ != 0 || (form_ == Form::list && !closed_)) return fail(Code::io, "the answer ends too early");
  return {};
}

}  // namespace varve::logs
