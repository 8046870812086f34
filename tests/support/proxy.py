# SPDX-License-Identifier: Apache-2.0
"""A TCP proxy on loopback between a replica and a server behind it: it can be slow, stand still, or be cut."""

import asyncio
import contextlib
import threading


class Proxy:
    """Proxy(port).start(); give `.port` to the client. `.delay_s`, `.stalled` and cut() may be used from any thread."""

    def __init__(self, target_port, target_host="127.0.0.1"):
        self.target = target_host, target_port
        self.delay_s, self.stalled, self.refusing = 0.0, False, False
        self.loop = asyncio.new_event_loop()
        self.writers = set()
        self.port = 0

    def start(self):
        listening = threading.Event()

        def run():
            asyncio.set_event_loop(self.loop)
            server = self.loop.run_until_complete(asyncio.start_server(self._client, "127.0.0.1", 0))
            self.port = server.sockets[0].getsockname()[1]
            listening.set()
            self.loop.run_forever()
        threading.Thread(target=run, daemon=True).start()
        listening.wait(30)
        return self

    def cut(self, refuse=False):
        """Breaks all connections; with `refuse` new ones break as well, until restore()."""
        self.refusing = refuse
        self.loop.call_soon_threadsafe(lambda: [writer.transport.abort() for writer in list(self.writers)])

    def restore(self):
        self.delay_s, self.stalled, self.refusing = 0.0, False, False

    def close(self):
        self.cut(refuse=True)
        self.loop.call_soon_threadsafe(self.loop.stop)

    async def _client(self, reader, writer):
        if self.refusing:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection(*self.target)
        except OSError:
            writer.transport.abort()
            return
        pair = {writer, far_writer}
        self.writers |= pair
        await asyncio.gather(self._pump(reader, far_writer), self._pump(far_reader, writer))
        self.writers -= pair

    async def _pump(self, reader, writer):
        """In order, each piece `delay_s` after it came."""
        queue = asyncio.Queue(1000)

        async def deliver():
            while (item := await queue.get()) is not None:
                due, piece = item
                while self.stalled or self.loop.time() < due:
                    await asyncio.sleep(0.02 if self.stalled else due - self.loop.time())
                writer.write(piece)
                await writer.drain()
            writer.transport.abort() if self.refusing else writer.close()
        delivery = asyncio.ensure_future(deliver())
        with contextlib.suppress(OSError):
            while piece := await reader.read(65536):
                await queue.put((self.loop.time() + self.delay_s, piece))
        await queue.put(None)
        with contextlib.suppress(OSError):
            await delivery
