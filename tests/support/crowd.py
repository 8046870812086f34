# SPDX-License-Identifier: Apache-2.0
"""Many connections at once that do next to nothing, and one polite client beside them whose waiting is measured."""

import contextlib
import selectors
import socket
import threading
import time

from .client import http_request


class Crowd:
    """`count` connections to a port; each sends its `greeting` and then a byte of `drip` now and then."""

    def __init__(self, port, count, greeting=lambda n: b"", drip=None, receive_bytes=None):
        self.sockets, self.drip = [], drip
        for number in range(count):
            s = socket.socket()
            if receive_bytes:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
            # Linux gives each address of loopback its own ports: more connections than one has ephemeral ones.
            s.bind((f"127.0.0.{2 + number % 50}", 0))
            s.connect(("127.0.0.1", port))
            first = greeting(number)
            if first:
                s.sendall(first)
            self.sockets.append(s)

    def drip_once(self):
        for s in self.sockets:
            with contextlib.suppress(OSError):
                s.send(self.drip)

    def still_open(self):
        """Those that the server has not ended."""
        count = 0
        for s in self.sockets:
            s.setblocking(False)
            try:
                count += s.recv(65536, socket.MSG_PEEK) != b""
            except BlockingIOError:
                count += 1
            except OSError:
                pass
            s.setblocking(True)
        return count

    def close(self):
        for s in self.sockets:
            s.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Polite(threading.Thread):
    """Puts one sample after the other on a kept connection of its own, and notes each refusal and how long it waited."""

    def __init__(self, server, name, pause=0.01):
        super().__init__(daemon=True)
        self.server, self.name_, self.pause = server, name, pause
        self.stopping = threading.Event()
        self.took, self.refused, self.sent = [], [], 0

    def run(self):
        while not self.stopping.wait(self.pause):
            begin = time.monotonic()
            try:
                answer = http_request(self.server.port, "POST", "/write?precision=ms",
                                      f"{self.name_} value={self.sent}i {1_790_000_000_000 + self.sent}")
                fault = "" if answer.status == 204 else str(answer)
            except OSError as e:
                fault = repr(e)
            self.took.append(time.monotonic() - begin)
            self.refused += [fault] if fault else []
            self.sent += not fault

    def stop(self):
        self.stopping.set()
        self.join(60)
        return self

    def p99_ms(self):
        return sorted(self.took)[int(len(self.took) * 0.99)] * 1000


def wait_for_any(sockets, seconds):
    """Sockets on which something came, at most after so long."""
    with selectors.DefaultSelector() as selector:
        for s in sockets:
            selector.register(s, selectors.EVENT_READ)
        return [key.fileobj for key, _ in selector.select(seconds)]
