// SPDX-License-Identifier: Apache-2.0
#include "chunk/entropy.h"

// The literal mode and the frame without magic are in zstd's header only with this.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <algorithm>

#include "base/check.h"
#include "chunk/format.h"
#include "chunk/rice.h"

namespace varve::chunk {
namespace {

struct CompressorDeleter {
  void operator()(ZSTD_CCtx* c) const { ZSTD_freeCCtx(c); }
};
struct DecompressorDeleter {
  void operator()(ZSTD_DCtx* d) const { ZSTD_freeDCtx(d); }
};
using CompressorPtr = std::unique_ptr<ZSTD_CCtx, CompressorDeleter>;

void set(ZSTD_CCtx* context, ZSTD_cParameter parameter, int value) {
  check(ZSTD_isError(ZSTD_CCtx_setParameter(context, parameter, value)) == 0, "libzstd knows its parameters");
}

CompressorPtr make(Coder coder) {
  CompressorPtr context(ZSTD_createCCtx());
  check(context != nullptr, "libzstd has memory");
  set(context.get(), ZSTD_c_format, ZSTD_f_zstd1_magicless);
  set(context.get(), ZSTD_c_contentSizeFlag, 0);
  if (coder == Coder::matches || coder == Coder::quick) {
    set(context.get(), ZSTD_c_compressionLevel, coder == Coder::quick ? 1 : 3);
    return context;
  }
  // The fast strategy skips targetLength bytes after each failed look: it never looks twice. Small tables, because
  // they are cleared for each frame.
  set(context.get(), ZSTD_c_strategy, ZSTD_fast);
  set(context.get(), ZSTD_c_targetLength, 131072);
  set(context.get(), ZSTD_c_minMatch, 7);
  set(context.get(), ZSTD_c_hashLog, 6);
  set(context.get(), ZSTD_c_windowLog, 17);
  set(context.get(), ZSTD_c_literalCompressionMode, ZSTD_lcm_huffman);
  return context;
}

}  // namespace

struct Compressor::State {
  CompressorPtr huffman = make(Coder::literals);
  CompressorPtr matches;  // made when first needed: few blocks have texts
  CompressorPtr quick;

  ZSTD_CCtx* of(Coder coder) {
    if (coder == Coder::literals || coder == Coder::symbols) return huffman.get();
    CompressorPtr& context = coder == Coder::quick ? quick : matches;
    if (context == nullptr) context = make(coder);
    return context.get();
  }
};

Compressor::Compressor() : state_(std::make_unique<State>()) {}
Compressor::~Compressor() = default;

std::size_t Compressor::compress(Coder coder, std::span<const std::byte> in, Bytes& out) {
  if (in.size() < 16) return 0;
  ZSTD_CCtx* const context = state_->of(coder);
  const std::size_t room = ZSTD_compressBound(in.size());
  const std::size_t size = ZSTD_compress2(context, out.reserve(room), room, in.data(), in.size());
  check(ZSTD_isError(size) != 0 || size <= room, "libzstd stays within its bound");
  const std::size_t smallest = ZSTD_isError(size) != 0 ? in.size() : std::min(size, in.size());
  if (coder == Coder::symbols && in.size() <= kRiceSymbolsMax) {
    const RicePlan plan = plan_rice(in);
    if (plan.bytes < smallest) {
      write_rice(plan, in, out);
      return plan.bytes;
    }
  }
  if (smallest == in.size()) return 0;
  if (in.size() > kInflatedFree && in.size() / kInflatedRatioMax >= size) return 0;
  out.advance(size);
  return size;
}

bool decompress(std::span<const std::byte> in, std::span<std::byte> out) {
  if (is_rice(in)) return read_rice(in, out);
  thread_local const auto context = [] {
    std::unique_ptr<ZSTD_DCtx, DecompressorDeleter> made(ZSTD_createDCtx());
    check(
        made != nullptr && ZSTD_isError(ZSTD_DCtx_setParameter(made.get(), ZSTD_d_format, ZSTD_f_zstd1_magicless)) == 0,
        "libzstd has memory and knows its parameters");
    return made;
  }();
  return ZSTD_decompressDCtx(context.get(), out.data(), out.size(), in.data(), in.size()) == out.size();
}

}  // namespace varve::chunk
