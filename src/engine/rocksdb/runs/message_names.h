// SPDX-License-Identifier: Apache-2.0
// Names of free fields and types of objects of a message run, as bytes; docs/formats/message-run.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "message/row.h"
#include "storage/message_store.h"

namespace varve::engine::rocksdb {

inline constexpr std::uint32_t kNamesSection = 0xffff'ffff;

void add_names(message::RowView row, storage::MessageNames& out);

std::string encode_names(const storage::MessageNames& names);
// Adds to `out`. Error: corrupt.
Status decode_names(std::string_view section, storage::MessageNames& out);

}  // namespace varve::engine::rocksdb
