# SPDX-License-Identifier: Apache-2.0
"""The log after an accident: a torn tail is cut and reported; damage inside stops the start, naming file and offset,
unless --storage.repair says to keep what is readable. docs/formats/log.md has the layout that is damaged here."""

import glob
import os
import re
import shutil
import struct
import unittest

from support.case import T0, OwnServerCase

BATCHES = 40


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


class Damage(OwnServerCase):
    def killed_server(self):
        """A server with BATCHES requests in its log, killed before a sync. Returns it and the log's last segment."""
        server = self.new_server({"storage.sync": "10m"}).start()
        for i in range(BATCHES):
            server.influx(f"d value={i}i {T0 + i}\n")
        server.kill()
        return server, self.last_segment(server)

    @staticmethod
    def last_segment(server):
        return sorted(glob.glob(os.path.join(server.path, "wal", "*.log")))[-1]

    def flip(self, path, offset, mask=0x10):
        with open(path, "r+b") as f:
            f.seek(offset)
            byte = f.read(1)[0]
            f.seek(offset)
            f.write(bytes([byte ^ mask]))

    def test_torn_tail(self):
        for cut in (1, 7, 20):
            with self.subTest(cut=cut):
                server, path = self.killed_server()
                self.cut_and_check(server, path, cut)

    def cut_and_check(self, server, path, cut):
        size = os.path.getsize(path)
        os.truncate(path, size - cut)
        seen = len(server.log())
        server.start()
        got = [v for _, v in server.values("d")]
        self.assertEqual(got, list(range(len(got))), "what is left is what came first")
        self.assertIn(len(got), (BATCHES - 1, BATCHES))  # the last record may be the server's own (its metrics)
        log = server.log()[seen:]
        self.assertIn(os.path.basename(path), log)
        self.assertRegex(log, r"(?i)torn|unfinished|cut")
        self.assertRegex(log, r"offset=\d+")
        server.influx(f"d value=77i {T0 + 1000}\n")
        server.kill()
        server.start()
        self.assertEqual([v for _, v in server.values("d")], got + [77], "writes after the repair are kept")

    def test_garbage_behind_the_end(self):
        server, path = self.killed_server()
        with open(path, "ab") as f:
            f.write(os.urandom(100))
        server.start()
        self.assertEqual([v for _, v in server.values("d")], list(range(BATCHES)))

    def test_damage_inside_stops_the_start(self):
        server, path = self.killed_server()
        middle = os.path.getsize(path) // 2
        self.flip(path, middle)
        seen = len(server.log())
        server.spawn()
        self.assertEqual(server.wait(), 1)
        log = server.log()[seen:]
        self.assertIn(os.path.basename(path), log)
        found = re.search(r"offset[= ](\d+)", log)
        self.assertTrue(found, log)
        self.assertLessEqual(int(found.group(1)), middle)
        self.assertRegex(log, r"storage\.repair", "it says what to do")

        self.flip(path, middle)  # as it was: nothing was changed by the refused start
        server.start()
        self.assertEqual([v for _, v in server.values("d")], list(range(BATCHES)))

    @staticmethod
    def records(path):
        """(offset, payload length, bytes of definitions) of each record."""
        with open(path, "rb") as f:
            log = f.read()
        found, at = [], 16
        while at < len(log):
            length, definitions = struct.unpack_from("<II", log, at + 8)
            found.append((at, length, definitions))
            at += 24 + length
        return found

    def test_repair_keeps_what_is_readable(self):
        server, path = self.killed_server()
        # A record of ours in the middle: no definitions, and short (the server's own metrics are long).
        ours = [at for at, length, definitions in self.records(path) if definitions == 0 and length < 64]
        self.flip(path, ours[len(ours) // 2] + 30)
        seen = len(server.log())
        server.start(**{"storage.repair": "true"})
        got = [v for _, v in server.values("d")]
        self.assertEqual(len(got), BATCHES - 1)
        self.assertEqual(got, sorted(set(got)))
        self.assertEqual((got[0], got[-1]), (0, BATCHES - 1), "what is before and behind the damage is kept")
        self.assertRegex(server.log()[seen:], r"offset[= ]\d+")
        server.settle()  # now all that is readable is in chunks, and the damaged segment is gone
        code, _ = server.stop()
        self.assertEqual(code, 0)
        server.start()  # without repair
        self.assertEqual([v for _, v in server.values("d")], got)

    def test_rows_that_make_no_sense_are_left_out_alone(self):
        """A record as a fault of the program could write it, with a right checksum."""
        server, path = self.killed_server()
        with open(path, "rb") as f:
            log = f.read()
        last = max(struct.unpack_from("<Q", log, at + 16)[0] for at, _, _ in self.records(path))
        rows = b"".join(struct.pack("<IHHqq", group, 3, 1, time, 1) for group, time in ((0xfffffff0, T0), (0, 1 << 62)))
        covered = struct.pack("<IIQ", len(rows), 0, last + 1) + rows
        with open(path, "ab") as f:
            f.write(struct.pack("<II", 0x52767661, crc32c(covered)) + covered)
        server.start()
        self.assertEqual([v for _, v in server.values("d")], list(range(BATCHES)))
        self.assertEqual(server.metric("varve_start_left_out_total"), 1)
        self.assertRegex(server.log(), r"makes no sense.*records=1 bytes=48")
        self.assertTrue(glob.glob(os.path.join(server.path, "wal", "*.rejected")))
        server.influx(f"d value=77i {T0 + 1000}\n")
        server.restart()
        self.assertEqual([v for _, v in server.values("d")], [*range(BATCHES), 77])
        self.assertEqual(server.metric("varve_start_left_out_total"), 0)

    def test_segments_that_are_gone_are_noticed(self):
        for how in ("gone", "emptied", "folder"):
            with self.subTest(how=how):
                server, _ = self.killed_server()
                server.start()  # a second segment that is alive
                server.influx(f"d value=77i {T0 + 1000}\n")
                if how == "folder":
                    server.settle()  # else nothing of the database says that there was a log
                server.stop()
                path = self.last_segment(server)
                if how == "folder":
                    shutil.rmtree(os.path.dirname(path))
                elif how == "emptied":
                    os.truncate(path, 0)
                else:
                    os.unlink(path)
                seen = len(server.log())
                server.spawn()
                code = server.wait_ready_or_end()
                self.assertEqual(code, 1)
                self.assertRegex(server.log()[seen:], r"/wal/\w+\.log .*storage\.repair")
                server.start(**{"storage.repair": "true"})
                left = list(range(BATCHES)) + [77] * (how == "folder")
                self.assertEqual([v for _, v in server.values("d")], left)
                server.restart()
                self.assertEqual([v for _, v in server.values("d")], left)

    def test_exchanged_segments(self):
        """They are read in the order of what is in them, once: the start after the repair needs none."""
        server, _ = self.killed_server()
        server.start()
        for i in range(BATCHES):
            server.influx(f"e value={i}i {T0 + i}\n")
        server.kill()
        first, second = sorted(glob.glob(os.path.join(server.path, "wal", "*.log")))[-2:]
        for old, new in ((first, first + "~"), (second, first), (first + "~", second)):
            os.rename(old, new)
        seen = len(server.log())
        server.spawn()
        self.assertEqual(server.wait_ready_or_end(), 1)
        self.assertRegex(server.log()[seen:], r"/wal/\w+\.log .*exchanged.*storage\.repair")
        seen = len(server.log())
        server.start(**{"storage.repair": "true"})
        self.assertRegex(server.log()[seen:], r"level=warn msg=\"files of the log have been exchanged.*" + os.path.basename(second))
        for _ in range(2):
            for name in "de":
                self.assertEqual([v for _, v in server.values(name)], list(range(BATCHES)), name)
            server.restart()

    def test_repair_ends_where_the_log_does(self):
        """A torn end alone, noise behind it, and damage inside besides."""
        for how in ("cut", "noise", "both"):
            with self.subTest(how=how):
                server, path = self.killed_server()
                size = os.path.getsize(path)
                if how != "noise":
                    os.truncate(path, size - 1)
                if how != "cut":
                    with open(path, "ab") as f:
                        f.write(b"ten bytes.")
                if how == "both":
                    self.flip(path, size // 2)
                server.start(**{"storage.repair": "true"})
                self.assertGreaterEqual(len(server.values("d")), BATCHES - 2)
                self.assertEqual(server.stop()[0], 0)

    def test_a_segment_that_is_no_log(self):
        server, path = self.killed_server()
        with open(path, "r+b") as f:
            f.write(b"nonsense")
        server.spawn()
        self.assertEqual(server.wait(), 1)
        self.assertIn(os.path.basename(path), server.log())

    def test_every_flipped_bit_is_found(self):
        """A bit in each of 16 places: either the start is refused, or it was in the tail; never a wrong value."""
        server, path = self.killed_server()
        with open(path, "rb") as f:
            whole = f.read()
        for i in range(16):
            offset = len(whole) * i // 16 + 3
            with self.subTest(offset=offset):
                with open(path, "wb") as f:
                    f.write(whole)
                self.flip(path, offset)
                server.spawn()
                code = server.wait_ready_or_end()
                if code is None:
                    got = [v for _, v in server.values("d")]
                    self.assertEqual(got, list(range(len(got))))
                    self.assertGreater(offset, len(whole) * 8 // 10, "damage inside was not noticed")
                    server.kill()
                else:
                    self.assertEqual(code, 1)
                for extra in set(glob.glob(os.path.join(os.path.dirname(path), "*"))) - {path}:
                    os.unlink(extra)


if __name__ == "__main__":
    unittest.main()
