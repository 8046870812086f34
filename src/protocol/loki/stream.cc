// SPDX-License-Identifier: Apache-2.0
#include "protocol/loki/stream.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "message/level.h"
#include "protocol/messages/whole_number.h"

namespace varve::protocol::loki {
namespace {

using message::Column;
using message::FieldForm;

// What each column is the first of.
constexpr std::array<std::array<std::string_view, 5>, 3> kSources{
    {{"source", "host", "hostname", "instance"},
     {"module", "app", "job", "service_name", "container"},
     {"level", "severity", "detected_level"}}};
enum : std::size_t { kSource, kModule, kLevel };

std::optional<std::int64_t> level_in(std::string_view text) {
  if (const auto named = message::level_of(text)) return *named;
  if (const auto number = messages::whole_number(text)) {
    if (*number >= 0 && *number <= message::kDebug) return *number;
  }
  return std::nullopt;
}

// Years of four digits; others are times that nobody keeps, and say so by their number.
std::string loki_time(std::int64_t us) {
  constexpr std::int64_t kUsPerSecond = 1'000'000;
  const std::time_t seconds = us / kUsPerSecond - (us % kUsPerSecond < 0 ? 1 : 0);
  std::tm utc{};
  if (::gmtime_r(&seconds, &utc) == nullptr || utc.tm_year + 1900 > 9999 || utc.tm_year + 1900 < 0) {
    return std::to_string(us) + "us";
  }
  char text[64];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

}  // namespace

bool Stream::has_label(std::string_view name) const {
  return std::ranges::find(labels_, name, &Label::name) != labels_.end();
}

template <class Counts>
Stream::Mapped Stream::mapped_of(std::span<const Label> labels, const Counts& counts) {
  Mapped mapped;
  for (std::size_t column = 0; column < kMapped; ++column) {
    for (const std::string_view name : kSources[column]) {
      if (name.empty()) break;
      const auto label = std::ranges::find(labels.rbegin(), labels.rend(), name, &Label::name);  // the last one counts
      if (label == labels.rend() || label->value.empty() || !counts(*label)) continue;
      if (column == kLevel && !level_in(label->value)) continue;
      mapped[column] = label->value;
      break;
    }
  }
  return mapped;
}

Status Stream::check_labels(std::span<const Label> labels) {
  if (labels.empty()) return fail(Code::invalid, "error at least one label pair is required per stream");
  const auto stream = [&] { return "stream '" + text_of(labels) + "'"; };
  if (labels.size() > message::kFieldsMax) {
    return fail(Code::limit, "entry for " + stream() + " has " + std::to_string(labels.size()) +
                                 " label names; limit " + std::to_string(message::kFieldsMax));
  }
  std::size_t bytes = 0;
  for (const Label& label : labels) {
    if (label.name.empty()) return fail(Code::invalid, stream() + " has a label without a name");
    if (label.name.size() > message::kNameBytesMax) {
      return fail(Code::invalid,
                  stream() + " has label name too long: '" + std::string(label.name.substr(0, 100)) + "…'");
    }
    if (label.value.size() > message::kCellBytesMax) {
      return fail(Code::invalid,
                  stream() + " has label value too long: '" + std::string(label.value.substr(0, 100)) + "…'");
    }
    bytes += label.name.size() + label.value.size();
  }
  if (bytes > messages::kSharedBytesMax) {
    return fail(Code::too_large, stream() + " has " + std::to_string(bytes) + " bytes of labels; limit " +
                                     std::to_string(messages::kSharedBytesMax));
  }
  // Few labels: whoever sends a thousand pays for it once a stream.
  Labels sorted(labels.begin(), labels.end());
  std::ranges::sort(sorted, {}, &Label::name);
  if (const auto twice = std::ranges::adjacent_find(sorted, {}, &Label::name); twice != sorted.end()) {
    return fail(Code::invalid, stream() + " has duplicate label name: '" + std::string(twice->name) + "'");
  }
  return {};
}

Status Stream::open(std::span<const Label> labels) {
  VARVE_RETURN_IF_ERROR(check_labels(labels));
  std::size_t bytes = 0;
  for (const Label& label : labels) bytes += label.name.size() + label.value.size();
  bytes_.clear();
  bytes_.reserve(bytes);
  labels_.clear();
  const auto kept = [&](std::string_view text) {
    bytes_ += text;
    return std::string_view(bytes_).substr(bytes_.size() - text.size());
  };
  for (const Label& label : labels) {
    const std::string_view name = kept(label.name);
    labels_.push_back({name, kept(label.value)});
  }
  // Without a value it is no label, here as in Loki.
  std::erase_if(labels_, [](const Label& label) { return label.value.empty(); });
  // A stream is the same in any order of its labels, and so are the ids of its entries.
  std::ranges::sort(labels_, {}, &Label::name);
  mapped_ = mapped_of(labels_, [](const Label&) { return true; });
  return {};
}

// What the builder complains about, of this stream.
Status Stream::named(const Status& status) const {
  if (status) return status;
  return fail(status.error().code, "entry for stream '" + text_of(labels_) + "': " + status.error().message);
}

Status Stream::add_metadata(std::span<const Label> metadata) {
  std::size_t bytes = 0;
  for (const Label& one : metadata) {
    bytes += one.name.size() + one.value.size();
    if (bytes > messages::kFieldsBytesMax) {
      return fail(Code::too_large, "more than " + std::to_string(messages::kFieldsBytesMax) + " bytes of metadata");
    }
    std::string_view name = one.name;
    if (has_label(name)) {
      std::string& renamed = renamed_.emplace_back(name);
      while (has_label(renamed)) renamed += "_extracted";  // as Loki does; a label of that name stays, too
      name = renamed;
    }
    VARVE_RETURN_IF_ERROR(builder_.add_field(name, FieldForm::metadata, one.value));
  }
  return {};
}

Status Stream::set_columns(const Mapped& mapped) {
  if (!mapped[kSource].empty()) VARVE_RETURN_IF_ERROR(builder_.set(Column::source, mapped[kSource]));
  if (!mapped[kModule].empty()) VARVE_RETURN_IF_ERROR(builder_.set(Column::module, mapped[kModule]));
  if (!mapped[kLevel].empty()) builder_.set(Column::level, *level_in(mapped[kLevel]));
  return {};
}

Status Stream::add(PreciseTime time, std::string_view line, std::span<const Label> metadata) {
  const auto stream = [&] { return "stream '" + text_of(labels_) + "'"; };
  if (line.size() > message::kTextBytesMax) {
    return fail(Code::too_large, "max entry size '" + std::to_string(message::kTextBytesMax) + "' bytes exceeded for " +
                                     stream() + " while adding an entry with length '" + std::to_string(line.size()) +
                                     "' bytes");
  }
  if (time.us < limits_.first_us) {
    return fail(Code::too_old, "entry for " + stream() + " has timestamp too old: " + loki_time(time.us) +
                                   ", oldest acceptable timestamp is: " + loki_time(limits_.first_us));
  }
  if (time.us > limits_.last_us) {
    return fail(Code::invalid, "entry for " + stream() + " has timestamp too new: " + loki_time(time.us));
  }
  if (batch_.bytes().size() > rows_bytes_max_) {
    return fail(Code::too_large, "the labels of " + stream() + ", repeated for its entries, are more than " +
                                     std::to_string(rows_bytes_max_) + " bytes");
  }
  builder_.start();
  for (const Label& label : labels_)
    VARVE_RETURN_IF_ERROR(builder_.add_field(label.name, FieldForm::text, label.value));
  if (metadata.empty()) {
    VARVE_RETURN_IF_ERROR(set_columns(mapped_));
  } else {
    renamed_.clear();
    VARVE_RETURN_IF_ERROR(named(add_metadata(metadata)));
    // What goes by another name says nothing of a column: queries know a push by columns that its fields tell, too.
    Mapped mapped = mapped_of(metadata, [this](const Label& one) { return !has_label(one.name); });
    for (std::size_t i = 0; i < kMapped; ++i) mapped[i] = mapped_[i].empty() ? mapped[i] : mapped_[i];
    VARVE_RETURN_IF_ERROR(named(set_columns(mapped)));
  }
  VARVE_RETURN_IF_ERROR(builder_.set(Column::text, line));
  // The same entry of the same stream has the same id, so that one that comes again is not a second message.
  builder_.finish_with_computed_id(time.us, time.nanos);
  const Status admitted = admission_.admit();
  return messages::is_shed(admitted) ? Status{} : named(admitted);
}

}  // namespace varve::protocol::loki
