// SPDX-License-Identifier: Apache-2.0
// Any bytes as a frame: it is refused, or becomes one well-formed row that has what every message of syslog has and a
// text that ends the frame; and a count in front changes nothing.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "protocol/syslog/message.h"

namespace {

using namespace varve;
using namespace varve::protocol::syslog;

void check_one(std::string_view frame, message::RowView row) {
  const auto cell = [&](message::Column column) { return row.cell(column); };
  const std::byte* const at = row.at;
  if (message::check_row(at, at + row.bytes()) != row.bytes()) std::abort();
  for (const auto column : {message::Column::source, message::Column::module, message::Column::category}) {
    if (!cell(column) || cell(column)->text.empty()) std::abort();
  }
  if (cell(message::Column::level)->number < 0 || cell(message::Column::level)->number > 7) std::abort();
  if (const auto text = cell(message::Column::text); text && !frame.ends_with(text->text)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const model::TimeZone kZones[] = {{}, *model::TimeZone::find("-03:30")};
  const std::string_view frame(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Context context{1'600'000'000'000'000 + (std::int64_t{data[0]} << 46), kZones[data[0] & 1], "192.0.2.1"};
  static Parser parser;
  message::Batch batch;
  message::Builder builder(batch);
  const auto refused = parser.parse(frame, context, builder);
  if (batch.rows() != (refused ? 0U : 1U)) std::abort();
  if (refused) return 0;
  check_one(frame, {batch.bytes().data()});
  if (!frame.starts_with('<')) return 0;
  message::Batch again;
  message::Builder second(again);
  if (parser.parse("77 " + std::string(frame), context, second)) std::abort();
  if (!std::equal(batch.bytes().begin(), batch.bytes().end(), again.bytes().begin(), again.bytes().end())) std::abort();
  return 0;
}
