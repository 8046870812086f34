// SPDX-License-Identifier: Apache-2.0
#include "protocol/influx/line.h"

#include <algorithm>
#include <string>

#include "protocol/group_cursor.h"
#include "protocol/influx/bytes.h"
#include "protocol/influx/field_names.h"
#include "protocol/influx/new_line.h"
#include "protocol/influx/number.h"
#include "protocol/influx/row_values.h"
#include "protocol/influx/timestamp.h"

namespace varve::protocol::influx {
namespace {

using model::LineGroup;

// Any value but the shortest: its size, or 0.
std::size_t read_long_value(const char* at, Number& number) {
  const char* end = at;
  if (read_number(end, number)) return static_cast<std::size_t>(end - at);
  end = find_value_end(at);
  auto read = read_value({at, end});
  if (!read) return 0;
  number = *read;
  return static_cast<std::size_t>(end - at);
}

// Where the next value would begin, behind its comma and name, if this one had no bytes.
const char* after_name(const char* at, const FieldNames::Name& name) {
  const char* behind = at + 1 + name.size;
  asm("" : "+r"(behind));  // or the compiler adds them last
  return behind;
}

class Parser {
 public:
  Parser(Precision precision, model::Timestamp now, model::GroupSource& groups, model::RowBatch& batch,
         Outcome& outcome)
      : groups_(groups),
        batch_(batch),
        outcome_(outcome),
        time_(precision, now, batch.sure_from()),
        new_line_(groups, batch, time_) {}

  // Parses [at, end), which ends with a newline. Returns end, or, if `more` text follows, where a line begins that
  // needs it.
  const char* parse(const char* at, const char* end, bool more);

 private:
  const char* guessed_line(const char* at);
  const char* found_line(const char* at);
  const char* other_line(const char* at, Splitter& splitter, bool more);
  const char* read_row(LineGroup* group, const char* at);

  // Which group's fields to try for a line of this measurement; a wrong entry costs time only.
  LineGroup*& last_of_measurement(const char* at) {
    std::uint64_t key = load_le<std::uint64_t>(at);
    const auto comma = mask_of(at, ',') | 0x100;
    const unsigned size = static_cast<unsigned>(std::countr_zero(comma));
    if (size < 8) key &= (std::uint64_t{1} << size * 8) - 1;
    return by_measurement_[key * 0x9e3779b97f4a7c15 >> 58];
  }

  const char* end_ = nullptr;
  model::GroupSource& groups_;
  model::RowBatch& batch_;
  Outcome& outcome_;
  TimeReader time_;
  NewLine new_line_;
  GroupCursor cursor_;
  std::size_t line_ = 0;  // number of the current line
  LineGroup* by_measurement_[64] = {};
  FieldNames names_;
  RowValues values_;
};

const char* Parser::parse(const char* at, const char* end, bool more) {
  constexpr std::ptrdiff_t kAhead = 4096;
  constexpr std::ptrdiff_t kCacheLine = 64;
  Splitter splitter(end);
  end_ = end;
  const char* fetched = at;
  while (at < end) {
    // The processor sees a body's lines as many short streams, none of which is worth reading ahead.
    for (const char* const until = at + std::min(kAhead, end - at); fetched < until; fetched += kCacheLine) {
      __builtin_prefetch(fetched);
    }
    ++line_;
    const char* next = guessed_line(at);
    if (next == nullptr) [[unlikely]] {
      next = found_line(at);
      if (next == nullptr) next = other_line(at, splitter, more);
      if (next == nullptr) {
        --line_;
        return at;
      }
    }
    at = next;
  }
  return at;
}

// The line at `at` if it is of the group expected next; else nullptr. Likewise below: nothing has happened then.
const char* Parser::guessed_line(const char* at) {
  LineGroup* group = cursor_.guess();
  if (group == nullptr || group->name_bytes >= static_cast<std::size_t>(end_ - at)) return nullptr;
  const char* name_end = at + group->name_bytes;
  if (*name_end != ' ') return nullptr;
  const bool same = group->raw_name != nullptr ? same_bytes(at, group->raw_name, group->name_bytes) : group->starts(at);
  return same ? read_row(group, name_end + 1) : nullptr;
}

const char* Parser::found_line(const char* at) {
  const LineGroup* like = last_of_measurement(at);
  if (like == nullptr) return nullptr;
  const char* name_end = find_name_end(at);
  if (name_end == nullptr) return nullptr;
  LineGroup* group = groups_.find({at, name_end}, like->fields);
  return group != nullptr ? read_row(group, name_end + 1) : nullptr;
}

const char* Parser::read_row(LineGroup* group, const char* at) {
  const char* field = group->fields.data();
  const unsigned count = group->count;
  const FieldNames::Name* name = names_.of(group->fields, count);
  if (name == nullptr || !name->is_in_both(at, field)) return nullptr;
  at += name->size;  // to the value
  RowValues::Seen seen;
  for (unsigned i = 0;;) {
    Number number;
    std::size_t size = read_short_number(at, number);
    if (size == 0) [[unlikely]] {
      size = read_long_value(at, number);
      if (size == 0) return nullptr;
    }
    values_.set(i, number, seen);
    if (++i == count) {
      at += size;
      break;
    }
    if (at[size] != ',') [[unlikely]]
      return nullptr;
    field += name->size;
    ++name;
    if (!name->is_in_both(at + size + 1, field)) [[unlikely]]
      return nullptr;
    // One addition behind the size, which is what everything waits for.
    at = after_name(at, *name) + size;
  }
  model::Timestamp time = 0;
  at = time_.read_end(at, time);
  if (at == nullptr) return nullptr;
  values_.add_row(batch_, *group, time, count, seen);
  outcome_.accepted += count;
  cursor_.step(group);
  return at;
}

const char* Parser::other_line(const char* at, Splitter& splitter, bool more) {
  const char* begin = at;
  while (*at == ' ' || *at == '\t') ++at;
  const auto next_line = [this, begin] { return std::find(begin, end_, '\n') + 1; };
  if (*at == '\n' || *at == '#' || (*at == '\r' && at[1] == '\n')) return next_line();
  auto group = new_line_.add(at, splitter, outcome_);
  if (!group) {
    if (more && splitter.cut()) return nullptr;
    outcome_.reject(line_, std::move(group.error()));
    return next_line();
  }
  last_of_measurement(at) = *group;
  cursor_.step(*group);
  line_ += static_cast<std::size_t>(std::count(begin, new_line_.next() - 1, '\n'));
  return new_line_.next();
}

}  // namespace

Result<Precision> precision_of(std::string_view name) {
  if (name.empty() || name == "n" || name == "ns") return Precision::ns;
  if (name == "u" || name == "us" || name == "µ" || name == "µs") return Precision::us;
  if (name == "ms") return Precision::ms;
  if (name == "s") return Precision::s;
  if (name == "m") return Precision::m;
  if (name == "h") return Precision::h;
  return fail(Code::invalid, "precision '" + std::string(name) + "' is none of ns, us, ms, s, m, h");
}

Outcome parse_lines(std::string_view body, Precision precision, model::Timestamp now, model::GroupSource& groups,
                    model::RowBatch& batch) {
  Outcome outcome;
  Parser parser(precision, now, groups, batch, outcome);
  const char* end = body.data() + body.size();
  // Lines that end with a newline are parsed where they are, without a look at the end; what follows the last newline
  // gets one of its own.
  const std::size_t whole = body.rfind('\n') + 1;  // 0 if there is none
  const char* rest = parser.parse(body.data(), body.data() + whole, whole < body.size());
  if (rest != end) {
    std::string copy(rest, end);
    copy += '\n';
    const std::size_t size = copy.size();
    copy.append(kBodyPadding, '\0');
    parser.parse(copy.data(), copy.data() + size, false);
  }
  return outcome;
}

}  // namespace varve::protocol::influx
