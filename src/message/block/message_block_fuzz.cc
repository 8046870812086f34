// SPDX-License-Identifier: Apache-2.0
// Arbitrary sections as a block. Checksums would stop nearly all of them at the door, so they are set right first.
// Input: sections without their checksums, each behind its length as u16.
#include <cstdlib>

#include "codec/crc32c.h"
#include "message/block/testing/read_all.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varve;
  using namespace varve::message::block;
  std::vector<std::string> sections;
  while (size >= 2) {
    const std::size_t bytes = std::min<std::size_t>(load_le<std::uint16_t>(data), size - 2);
    std::string section(4 + bytes, '\0');
    std::copy_n(data + 2, bytes, section.begin() + 4);
    const auto content = std::as_bytes(std::span(section)).subspan(4);
    store_le(section.data(), codec::crc32c(content, static_cast<std::uint32_t>(sections.size())));
    sections.push_back(std::move(section));
    data += 2 + bytes;
    size -= 2 + bytes;
  }
  const auto read = testing::read_all(std::make_shared<testing::MemorySections>(std::move(sections)));
  if (!read && read.error().code != Code::corrupt && read.error().code != Code::unsupported) std::abort();
  return 0;
}
