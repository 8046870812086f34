# SPDX-License-Identifier: Apache-2.0
"""Loki's tail over a WebSocket, by hand: answers pings at once, in a thread of its own, and keeps the lines that came."""

import base64
import json
import os
import socket
import struct
import threading
import urllib.parse

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


class Tail:
    def __init__(self, port, tenant, query):
        self.lines, self.ended = [], None
        self.socket = socket.create_connection(("127.0.0.1", port))
        path = f"/t/{tenant}/loki/api/v1/tail?" + urllib.parse.urlencode({"query": query})
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode())
        self.stream = self.socket.makefile("rb")
        head = self.stream.readline()
        if b" 101 " not in head:
            raise RuntimeError(f"no WebSocket: {head!r}")
        while self.stream.readline() not in (b"\r\n", b""):
            pass
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        try:
            while True:
                kind, size = self.stream.read(2)
                size &= 127
                if size > 125:
                    size = struct.unpack(">H" if size == 126 else ">Q", self.stream.read(2 if size == 126 else 8))[0]
                payload = self.stream.read(size)
                if kind & 15 == TEXT:
                    self.lines += [line for stream in json.loads(payload)["streams"] for _, line in stream["values"]]
                elif kind & 15 == PING:  # masked with zeros
                    self.socket.sendall(bytes([0x80 | PONG, 0x80 | len(payload), 0, 0, 0, 0]) + payload)
                elif kind & 15 == CLOSE:
                    self.ended = f"closed: {payload!r}"
                    return
        except (OSError, ValueError) as error:
            self.ended = repr(error)

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join(10)
        self.stream.close()
        self.socket.close()
