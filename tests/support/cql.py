# SPDX-License-Identifier: Apache-2.0
"""As much of Cassandra's protocol (CQL binary, version 4) as tests need to ask for something themselves."""

import socket
import struct


class CqlError(Exception):
    pass


class Cql:
    def __init__(self, address, timeout=60):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout)
        options = b"\x00\x01" + b"".join(struct.pack(">H", len(w)) + w for w in (b"CQL_VERSION", b"3.0.0"))
        self._ask(0x01, options)

    def _read(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise CqlError("closed")
            data += more
        return data

    def _ask(self, opcode, body):
        self.socket.sendall(struct.pack(">BBHBI", 4, 0, 0, opcode, len(body)) + body)
        _, _, _, answer, length = struct.unpack(">BBHBI", self._read(9))
        data = self._read(length)
        if answer == 0:
            raise CqlError(data[6:].decode(errors="replace"))
        return data

    def query(self, text, consistency=1):
        """Rows as lists of bytes (None: null); nothing for what is no SELECT."""
        text = text.encode()
        data = self._ask(0x07, struct.pack(">I", len(text)) + text + struct.pack(">HB", consistency, 0))
        if struct.unpack(">I", data[:4])[0] != 2:
            return []
        return self._rows(data[4:])

    @staticmethod
    def _rows(data):
        flags, columns = struct.unpack(">II", data[:8])
        at = 8

        def skip_text():
            nonlocal at
            at += 2 + struct.unpack(">H", data[at:at + 2])[0]

        def skip_type():
            nonlocal at
            kind = struct.unpack(">H", data[at:at + 2])[0]
            at += 2
            if kind == 0:
                skip_text()
            for _ in range({0x20: 1, 0x21: 2, 0x22: 1}.get(kind, 0)):
                skip_type()

        if flags & 1:
            skip_text()
            skip_text()
        for _ in range(columns):
            if not flags & 1:
                skip_text()
                skip_text()
            skip_text()
            skip_type()
        count = struct.unpack(">I", data[at:at + 4])[0]
        at += 4
        rows = []
        for _ in range(count):
            row = []
            for _ in range(columns):
                size = struct.unpack(">i", data[at:at + 4])[0]
                at += 4
                row.append(None if size < 0 else data[at:at + size])
                at += max(size, 0)
            rows.append(row)
        return rows

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
