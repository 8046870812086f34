# SPDX-License-Identifier: Apache-2.0
"""HTTP and telnet as a plain client speaks them; every wait has a deadline."""

import http.client
import json
import socket
import time

from .sanitized import TIMES_SLOWER


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def header(self, name):
        return self.headers.get(name.lower(), "")

    def json(self):
        # "-0" is the double −0.0, which int() would lose.
        return json.loads(self.body, parse_int=lambda text: -0.0 if text == "-0" else int(text))

    def __repr__(self):
        return f"{self.status} {self.body[:400]!r}"


class Kept:
    """A connection that stays open, in place of a port of http_request(): it is never made again."""

    def __init__(self, port, timeout=30):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
        self.connection.connect()
        self.connection.auto_open = 0

    def close(self):
        self.connection.close()

    def ended(self):
        """Has the server closed it, and said nothing before?"""
        return self.connection.sock.recv(1) == b""


def http_request(port, method, path, body=None, headers=None, timeout=30):
    if isinstance(body, str):
        body = body.encode()
    elif body is not None and not isinstance(body, (bytes, bytearray)):
        body = json.dumps(body).encode()
    connection = port.connection if isinstance(port, Kept) else http.client.HTTPConnection("127.0.0.1", port, timeout=timeout * TIMES_SLOWER)
    try:
        connection.request(method, path, body, headers or {})
        got = connection.getresponse()
        return Answer(got.status, {k.lower(): v for k, v in got.getheaders()}, got.read())
    finally:
        if not isinstance(port, Kept):
            connection.close()


def raw_http(port, data, timeout=30):
    """Sends bytes as they are and returns all that comes until the server closes or `timeout` passes without anything."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as s:
        try:
            s.sendall(data)
        except OSError:
            pass  # refused before all was read: the answer says why
        return read_to_end(s)


def read_to_end(s):
    out = b""
    while True:
        try:
            piece = s.recv(65536)
        except (socket.timeout, ConnectionResetError):
            return out
        if not piece:
            return out
        out += piece


class Telnet:
    def __init__(self, port, timeout=20):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.buffer = b""

    def send(self, data):
        self.socket.sendall(data.encode() if isinstance(data, str) else data)

    def read_line(self):
        while b"\n" not in self.buffer:
            piece = self.socket.recv(65536)
            if not piece:
                raise EOFError(f"closed after {self.buffer!r}")
            self.buffer += piece
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.rstrip(b"\r").decode()

    def finish(self):
        """Ends the connection in order: what was sent is taken once the server has closed too. Returns what it said."""
        self.socket.shutdown(socket.SHUT_WR)
        rest = self.buffer + read_to_end(self.socket)
        self.socket.close()
        return rest.decode(errors="replace")

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def wait_until(condition, seconds=20, what="the condition"):
    """Asks again and again, a little slower each time, until `condition()` is true; returns what it returned."""
    seconds *= TIMES_SLOWER
    deadline = time.monotonic() + seconds
    pause = 0.002
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not come true in {seconds} s")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)
