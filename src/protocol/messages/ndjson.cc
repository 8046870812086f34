// SPDX-License-Identifier: Apache-2.0
#include "protocol/messages/ndjson.h"

#include <cstring>
#include <deque>
#include <string>

#include "protocol/json/reader.h"
#include "protocol/json/text.h"
#include "protocol/messages/cells.h"
#include "protocol/messages/fast_message.h"
#include "protocol/messages/general_message.h"

namespace varve::protocol::messages {
namespace {

// Of JSON, for one message. Rows must be smaller than 2^26 bytes, and whatever a line holds takes memory while it is
// read.
constexpr std::size_t kMessageBytesMax = std::size_t{32} << 20;

const char* skip_blanks(const char* at, const char* end) {
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) ++at;
  return at;
}

class BodyReader {
 public:
  BodyReader(std::string_view body, const Options& options, message::Batch& batch)
      : body_(body), end_(body.data() + body.size()), options_(options), cells_(options, batch), fast_(body, cells_) {}

  Outcome read() {
    const char* const first = json::skip_space(body_.data(), end_);
    if (first < end_ && *first == '[') {
      read_array();
    } else {
      read_lines();
    }
    return std::move(outcome_);
  }

 private:
  // The message whose cells were set, from these bytes.
  Status finish(const char* begin, const char* end) {
    if (static_cast<std::size_t>(end - begin) <= kMessageBytesMax) return cells_.finish();
    return fail(Code::too_large,
                "it has " + std::to_string(end - begin) + " bytes; at most " + std::to_string(kMessageBytesMax));
  }

  void take(const Status& status) {
    if (status) {
      ++outcome_.accepted;
    } else {
      outcome_.reject(position_, status.error());
    }
  }

  // The end of the object at `at`, or nullptr: it needs the general way.
  const char* read_fast(const char* at) {
    if (options_.way != Way::fast || *at != '{') return nullptr;
    return fast_.read(at);
  }

  void read_lines() {
    for (const char* at = body_.data(); at < end_;) {
      ++position_;
      at = skip_blanks(at, end_);
      if (at < end_ && *at != '\n') at = read_line(at);
      ++at;  // behind the newline
    }
  }

  // Returns the line's end.
  const char* read_line(const char* at) {
    if (const char* const object_end = read_fast(at)) {
      const char* const behind = skip_blanks(object_end, end_);
      if (behind == end_ || *behind == '\n') {
        take(finish(at, object_end));
        return behind;
      }
    }
    const auto* const newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end_ - at)));
    const char* const line_end = newline != nullptr ? newline : end_;
    json::Reader reader({at, static_cast<std::size_t>(line_end - at)});
    reader.set_strict();
    reader.keep_cut_texts();
    take(read_whole(reader));
    return line_end;
  }

  // One document, which is one message.
  Status read_whole(json::Reader& reader) {
    const json::Element value = reader.value();
    const Status status = reader.failed() ? Status{} : read_item(reader, value);
    if (reader.failed()) return fail(not_json(reader, true));
    if (!status) return status;
    const char* const object_end = reader.at();
    if (!reader.at_end()) return fail(Code::invalid, "there is something behind the object");
    return finish(value.begin, object_end);
  }

  Status read_item(json::Reader& reader, const json::Element& item) {
    if (item.kind != json::Kind::object) return fail(Code::invalid, "it is not an object");
    cells_.start();
    names_.clear();
    return read_message(reader, cells_, names_);
  }

  void read_array() {
    json::Reader reader(body_);
    reader.set_strict();
    reader.keep_cut_texts();
    reader.value();
    json::Element item;
    bool first = true;
    for (position_ = 1; reader.next_item(first, item); ++position_) {
      if (const char* const behind = read_fast(item.begin)) {
        reader.seek(behind);
        take(finish(item.begin, behind));
        continue;
      }
      const Status status = read_item(reader, item);
      if (reader.failed()) break;
      if (status) {
        take(finish(item.begin, reader.at()));
      } else {
        take(status);
        skip_rest(reader, item);
      }
      reader.clear_texts();
    }
    if (reader.failed()) {
      Error error = not_json(reader, false);
      error.message += "; nothing behind it was read";
      outcome_.reject(position_, std::move(error));
    } else if (!reader.at_end()) {
      outcome_.reject(position_, {Code::invalid, "there is something behind the array"});
    }
  }

  // Goes on behind an item of which a part was read.
  static void skip_rest(json::Reader& reader, const json::Element& item) {
    if (item.kind != json::Kind::object && item.kind != json::Kind::array) return;
    reader.seek(item.begin + 1);
    reader.skip(item);
  }

  std::string_view body_;
  const char* end_;
  const Options& options_;
  Cells cells_;
  FastMessage fast_;
  std::deque<std::string> names_;  // of fields, made of the names of nested objects
  std::size_t position_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome parse_messages(std::string_view body, const Options& options, message::Batch& batch) {
  batch.expect(body.size());  // names of columns take more in a line than what a row has besides
  return BodyReader(body, options, batch).read();
}

}  // namespace varve::protocol::messages
