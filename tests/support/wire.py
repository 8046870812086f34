# SPDX-License-Identifier: Apache-2.0
"""Bytes on the wire, made by hand: snappy, zstd and protobuf are not in Python's library, and hostile bodies are not in any."""

import gzip
import struct
import zlib


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def label(name, value):
    as_bytes = [part if isinstance(part, bytes) else part.encode() for part in (name, value)]
    return field(1, as_bytes[0]) + field(2, as_bytes[1])


def sample(time_ms, value):
    bits = value if isinstance(value, bytes) else struct.pack("<d", value)
    return b"\x09" + bits + b"\x10" + varint(time_ms)


def write_request(series, metadata=()):
    """series: [({label: value}, [(time_ms, value), …]), …]; a value may be the 8 bytes of a double.
    metadata: [(type's number, metric, help, unit), …]"""
    out = b""
    for labels, samples in series:
        body = b"".join(field(1, label(k, labels[k])) for k in sorted(labels))
        body += b"".join(field(2, sample(t, v)) for t, v in samples)
        out += field(1, body)
    for type_number, metric, help_text, unit in metadata:
        out += field(3, b"\x08" + varint(type_number) + field(2, metric.encode()) + field(4, help_text.encode()) + field(5, unit.encode()))
    return out


def write_request_2(series):
    """Of remote write 2.0: [({label: value}, [(time_ms, value), …], (type's number, help, unit) or None), …]"""
    symbols, out = [""], b""

    def ref(text):
        if text not in symbols:
            symbols.append(text)
        return varint(symbols.index(text))

    for labels, samples, metadata in series:
        body = field(1, b"".join(ref(text) for name in sorted(labels) for text in (name, labels[name])))
        body += b"".join(field(2, sample(t, v)) for t, v in samples)
        if metadata:
            body += field(5, b"\x08" + varint(metadata[0]) + b"\x18" + ref(metadata[1]) + b"\x20" + ref(metadata[2]))
        out += field(5, body)
    return b"".join(field(4, text.encode()) for text in symbols) + out


def read_request(queries):
    """[(first_ms, last_ms, [(operator, name, value), …]), …]"""
    out = b""
    for first, last, matchers in queries:
        body = b"\x08" + varint(first) + b"\x10" + varint(last)
        body += b"".join(field(3, b"\x08" + varint(["=", "!=", "=~", "!~"].index(op)) + field(2, name.encode()) + field(3, value.encode()))
                         for op, name, value in matchers)
        out += field(1, body)
    return out


def fields(data):
    """Of a protobuf message: [(number, bytes or number), …]"""
    at, out = 0, []

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = number()
        if tag & 7 == 0:
            out.append((tag >> 3, number()))
        else:
            size = 8 if tag & 7 == 1 else number()
            out.append((tag >> 3, data[at:at + size]))
            at += size
    return out


def read_response(data):
    """For each query [({label: value}, [(time_ms, 8 bytes of a double), …]), …]"""
    def texts(message):
        return tuple(text.decode() for _, text in fields(message))

    def signed(number):
        return number - (1 << 64) if number >> 63 else number

    out = []
    for _, result in fields(data):
        series = []
        for _, one in fields(result):
            parts = fields(one)
            labels = dict(texts(part) for number, part in parts if number == 1)
            samples = [dict(fields(part)) for number, part in parts if number == 2]
            series.append((labels, [(signed(sample[2]), sample[1]) for sample in samples]))
        out.append(series)
    return out


def unsnappy(data):
    at, size, shift = 0, 0, 0
    while True:
        byte = data[at]
        at += 1
        size |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        kind = tag & 3
        if kind == 0:
            length = tag >> 2
            if length >= 60:
                extra = length - 59
                length = int.from_bytes(data[at:at + extra], "little")
                at += extra
            out += data[at:at + length + 1]
            at += length + 1
            continue
        if kind == 1:
            length, offset, more = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[at], 1
        else:
            more = 2 if kind == 2 else 4
            length, offset = (tag >> 2) + 1, int.from_bytes(data[at:at + more], "little")
        at += more
        for _ in range(length):
            out.append(out[-offset])
    assert len(out) == size
    return bytes(out)


STALE_MARKER = struct.pack("<Q", 0x7FF0000000000002)


def snappy(data):
    """A valid snappy block of literals only."""
    out = bytearray(varint(len(data)))
    for begin in range(0, len(data), 65536):
        piece = data[begin:begin + 65536]
        out += bytes([61 << 2]) + struct.pack("<H", len(piece) - 1) + piece
    return bytes(out)


def snappy_bomb(size):
    """`size` zero bytes in size / 21 bytes: one literal, then copies of 64 bytes from one byte back."""
    copies = (size - 1) // 64
    rest = size - 1 - copies * 64
    out = bytearray(varint(size)) + b"\x00\x00"
    out += (bytes([63 << 2 | 2]) + struct.pack("<H", 1)) * copies
    if rest:
        out += bytes([(rest - 1) << 2 | 2]) + struct.pack("<H", 1)
    return bytes(out)


def gzip_bomb(size):
    return gzip.compress(bytes(size), 9)


def deflate(data):
    return zlib.compress(data)


def zstd(data):
    """A valid zstd frame of raw blocks."""
    out = bytearray(struct.pack("<I", 0xFD2FB528)) + bytes([0xA0]) + struct.pack("<I", len(data))
    pieces = [data[i:i + 65536] for i in range(0, len(data), 65536)] or [b""]
    for i, piece in enumerate(pieces):
        out += struct.pack("<I", len(piece) << 3 | (i == len(pieces) - 1))[:3] + piece
    return bytes(out)


def zstd_bomb(size):
    """`size` zero bytes as RLE blocks of 128 KiB, four bytes each; the frame does not say how much it holds."""
    blocks = max(1, size >> 17)
    out = bytearray(struct.pack("<I", 0xFD2FB528)) + bytes([0x00, 0x50])
    for i in range(blocks):
        out += struct.pack("<I", (1 << 17) << 3 | 1 << 1 | (i == blocks - 1))[:3] + b"\x00"
    return bytes(out)
