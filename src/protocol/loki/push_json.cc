// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "protocol/json/reader.h"
#include "protocol/json/text.h"
#include "protocol/json/unescape.h"
#include "protocol/loki/push.h"
#include "protocol/loki/stream.h"
#include "protocol/messages/general_message.h"
#include "protocol/messages/time.h"
#include "protocol/messages/whole_number.h"
#include "protocol/messages/words.h"

namespace varve::protocol::loki {
namespace {

using json::Element;
using json::Kind;

constexpr std::int64_t kNanosPerUs = 1000;

std::unexpected<Error> not_pushed(const std::string& why) {
  return fail(Code::invalid, "couldn't parse push request: " + why);
}

PreciseTime time_of_ns(std::int64_t ns) {
  std::int64_t us = ns / kNanosPerUs;
  std::int64_t rest = ns % kNanosPerUs;
  if (rest < 0) rest += kNanosPerUs, --us;
  return {us, static_cast<unsigned>(rest)};
}

class PushReader {
 public:
  PushReader(std::string_view body, const messages::Limits& limits, message::Batch& batch, Way way)
      : body_(body), end_(body.data() + body.size()), way_(way), reader_(body), stream_(limits, body.size(), batch) {
    reader_.set_strict();
    reader_.keep_cut_texts();
  }

  Status read() {
    const Element root = reader_.value();
    if (!reader_.failed() && root.kind != Kind::object) return not_pushed("it is not an object");
    bool first = true;
    for (std::string_view name; reader_.next_name(first, name);) {
      const bool streams = name == "streams";
      const Element value = reader_.value();
      if (!streams || value.kind == Kind::null) {
        reader_.skip(value);
      } else if (value.kind == Kind::array) {
        VARVE_RETURN_IF_ERROR(read_streams());
      } else if (!reader_.failed()) {
        return not_pushed("streams is not a list");
      }
    }
    if (!reader_.failed() && !reader_.at_end()) return not_pushed("there is something behind the object");
    return ended();
  }

 private:
  // For where the reader says that there is no more.
  Status ended() const {
    return reader_.failed() ? Status(not_pushed(messages::not_json(reader_, true).message)) : Status{};
  }

  Status read_streams() {
    Element item;
    for (bool first = true; reader_.next_item(first, item);) {
      if (item.kind == Kind::null) continue;
      if (item.kind != Kind::object) return not_pushed("a stream is not an object");
      VARVE_RETURN_IF_ERROR(read_stream());
      reader_.clear_texts();
    }
    return ended();
  }

  // Its labels may stand behind its entries.
  Status read_stream() {
    bool has_labels = false;
    Element entries;
    bool first = true;
    for (std::string_view name; reader_.next_name(first, name);) {
      const bool labels = name == "stream";
      const bool values = name == "values";
      const Element value = reader_.value();
      if (reader_.failed()) break;
      if (labels) {
        if (has_labels) return not_pushed("stream stands twice");
        VARVE_RETURN_IF_ERROR(read_stream_labels(value));
        has_labels = true;
      } else if (values && value.kind != Kind::null) {
        if (entries.kind != Kind::none) return not_pushed("values stands twice");
        if (value.kind != Kind::array) return not_pushed("values is not a list");
        entries = value;
        if (has_labels) {
          VARVE_RETURN_IF_ERROR(read_entries());
        } else {
          reader_.skip(value);
        }
        was_read_ = has_labels;
      } else {
        reader_.skip(value);
      }
    }
    VARVE_RETURN_IF_ERROR(ended());
    if (!has_labels) VARVE_RETURN_IF_ERROR(stream_.open({}));
    if (entries.kind == Kind::none || was_read_) return {};
    const char* const behind = reader_.at();
    reader_.seek(entries.begin + 1);
    VARVE_RETURN_IF_ERROR(read_entries());
    reader_.seek(behind);
    return {};
  }

  Status read_stream_labels(const Element& value) {
    if (value.kind != Kind::object) return not_pushed("stream is not an object of labels");
    labels_.clear();
    VARVE_RETURN_IF_ERROR(read_pairs(labels_, "label"));
    return stream_.open(labels_);
  }

  // The rest of an object of texts.
  Status read_pairs(Labels& pairs, std::string_view what) {
    bool first = true;
    for (std::string_view name; reader_.next_name(first, name);) {
      const Element value = reader_.value();
      if (reader_.failed()) break;
      if (value.kind != Kind::string) {
        return not_pushed("the value of " + std::string(what) + " '" + messages::shorten(name) + "' is not a text");
      }
      pairs.push_back({name, value.text});
    }
    return ended();
  }

  Status read_entries() {
    Element item;
    for (bool first = true; reader_.next_item(first, item);) {
      if (item.kind == Kind::null) continue;
      if (item.kind != Kind::array) return not_pushed("an entry is not a list");
      if (way_ == Way::fast) {
        free_ = undone_.get();
        if (const char* const behind = take_entry(reader_.at())) {
          VARVE_RETURN_IF_ERROR(stream_.add(time_of_ns(fast_ns_), fast_line_, {}));
          reader_.seek(behind);
          continue;
        }
      }
      VARVE_RETURN_IF_ERROR(read_entry());
    }
    return ended();
  }

  // An entry as machines write it: "digits","line"] with blanks at most; the end, or nullptr: take the general way.
  const char* take_entry(const char* at) {
    at = json::skip_space(at, end_);
    if (at >= end_ || *at != '"') return nullptr;
    const char* const time = at + 1;
    const char* const time_end = json::find_string_stop(time, end_);
    if (time_end >= end_ || *time_end != '"') return nullptr;
    const auto ns = time_in({time, static_cast<std::size_t>(time_end - time)});
    if (!ns) return nullptr;
    fast_ns_ = *ns;
    at = json::skip_space(time_end + 1, end_);
    if (at >= end_ || *at != ',') return nullptr;
    at = json::skip_space(at + 1, end_);
    if (at >= end_ || *at != '"') return nullptr;
    at = take_line(at + 1);
    if (at == nullptr) return nullptr;
    at = json::skip_space(at, end_);
    return at < end_ && *at == ']' ? at + 1 : nullptr;
  }

  // Behind the opening quote; returns the place behind the closing one.
  const char* take_line(const char* at) {
    const char* const stop = json::find_string_stop(at, end_);
    if (stop >= end_) return nullptr;
    if (*stop == '"') {
      fast_line_ = {at, static_cast<std::size_t>(stop - at)};
      return stop + 1;
    }
    if (*stop != '\\') return nullptr;
    if (!undone_) {
      undone_ = std::make_unique_for_overwrite<char[]>(body_.size() + json::kUnescapeSlack);
      free_ = undone_.get();
    }
    const char* const begin = free_;
    at = json::unescape(at, end_, free_);
    fast_line_ = {begin, static_cast<std::size_t>(free_ - begin)};
    return at;
  }

  static std::optional<std::int64_t> time_in(std::string_view text) {
    if (text.starts_with('+')) return std::nullopt;  // Go takes it, so does the general way
    return messages::whole_number(text);
  }

  // The general way: behind the opening bracket.
  Status read_entry() {
    std::size_t position = 0;
    std::int64_t ns = 0;
    std::string_view line;
    metadata_.clear();
    Element item;
    for (bool first = true; reader_.next_item(first, item); ++position) {
      if (position == 0) {
        if (item.kind != Kind::string && item.kind != Kind::number) return not_pushed("a timestamp is not a text");
        const auto number = json::to_long(item.text);
        if (!number) {
          return not_pushed("strconv.ParseInt: parsing \"" + messages::shorten(item.text) +
                            "\": it is not a number of nanoseconds in 64 bits");
        }
        ns = *number;
      } else if (position == 1) {
        if (item.kind != Kind::string) return not_pushed("a line is not a text");
        line = item.text;
      } else if (position == 2 && item.kind != Kind::null) {
        if (item.kind != Kind::object) return not_pushed("structured metadata is not an object");
        VARVE_RETURN_IF_ERROR(read_pairs(metadata_, "structured metadata"));
      } else {
        reader_.skip(item);
      }
    }
    VARVE_RETURN_IF_ERROR(ended());
    if (position < 2) return not_pushed("an entry is not [timestamp, line]");
    VARVE_RETURN_IF_ERROR(stream_.add(time_of_ns(ns), line, metadata_));
    reader_.clear_texts();  // labels were copied
    return {};
  }

  std::string_view body_;
  const char* end_;
  const Way way_;
  json::Reader reader_;
  Stream stream_;
  Labels labels_;
  Labels metadata_;
  bool was_read_ = false;  // the entries of the stream
  std::int64_t fast_ns_ = 0;
  std::string_view fast_line_;
  std::unique_ptr<char[]> undone_;  // a line without its escapes
  char* free_ = nullptr;
};

}  // namespace

Status parse_push_json(std::string_view body, const messages::Limits& limits, message::Batch& batch, Way way) {
  return PushReader(body, limits, batch, way).read();
}

}  // namespace varve::protocol::loki
