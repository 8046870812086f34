# SPDX-License-Identifier: Apache-2.0
"""What a power cut leaves: a record of calls (recorder.c) is played up to some point, and a folder is built of what had
been synced by then, and of as much of the rest as chance wants.

A file keeps what was written before an fsync of it began; a name keeps if its folder was synced after. Of what came
later each write may be there or not, or its beginning, in any order; a file whose end is there and whose middle is not
has zeros in the middle."""

import os
import struct
import subprocess

HEAD = struct.Struct("<BBHIQQQQ")
CREATE, WRITE, TRUNCATE, SYNC_BEGIN, SYNC_END, RENAME, UNLINK, MKDIR, RMDIR, LINK = range(1, 11)
MODES = ("nothing", "everything", "prefix", "random", "random")


def build_recorder(folder):
    library = os.path.join(folder, "recorder.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorder.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"], check=True)
    return library


class Entry:
    def __init__(self, record, at):
        self.kind, self.failed, _, length, self.time_ms, self.inode, self.a, _ = HEAD.unpack_from(record, at)
        self.data = record[at + HEAD.size:at + HEAD.size + length]
        self.end = at + HEAD.size + length

    def names(self):
        one, _, two = bytes(self.data).partition(b"\0")
        return one.decode(), two.decode()


def entries(record):
    """Whole ones: the last may have been cut off when the program was killed."""
    at = 0
    while at + HEAD.size <= len(record):
        entry = Entry(record, at)
        if entry.end > len(record):
            return
        yield entry
        at = entry.end


class Thing:
    """A file or a folder: what is on the disk, and what was done to it since, in order."""

    def __init__(self):
        self.pending, self.done = [], 0

    def brought_to_disk(self, number):
        """The first `number` of all that was ever done to it are on the disk."""
        while self.done < number and self.pending:
            self.apply(self.kept, self.pending.pop(0))
            self.done += 1

    def after_the_cut(self, mode, chance):
        kept = self.kept.copy()
        for operation in chosen(self.pending, mode, chance):
            self.apply(kept, operation)
        return kept


class File(Thing):
    def __init__(self):
        super().__init__()
        self.kept = bytearray()

    @staticmethod
    def apply(content, operation):
        offset, data = operation
        if data is None:  # its new size
            del content[offset:]
            content.extend(bytes(offset - len(content)))
            return
        content.extend(bytes(max(0, offset - len(content))))
        content[offset:offset + len(data)] = data


class Folder(Thing):
    def __init__(self, inode):
        super().__init__()
        self.kept, self.inode = {}, inode

    @staticmethod
    def apply(names, operation):
        for name, thing in operation:
            if thing is None:
                names.pop(name, None)
            else:
                names[name] = thing


def chosen(pending, mode, chance):
    if mode == "nothing":
        return
    if mode == "prefix":
        pending = pending[:chance.randint(0, len(pending))]
    for operation in pending:
        if mode == "random" and chance.random() < 0.4:
            continue
        if mode == "random" and isinstance(operation, tuple) and operation[1] and chance.random() < 0.2:
            offset, data = operation
            size = chance.randrange(len(data))
            if chance.random() < 0.5:  # a sector is there or not
                size = max(0, size - (offset + size) % 512)
            operation = (offset, data[:size])
        yield operation


class Disk:
    """`root` was there, and empty, before the program ran."""

    def __init__(self, root):
        self.root = root
        self.folders = {root: Folder(os.stat(root).st_ino)}
        self.files = {}  # by inode
        self.syncs = {}

    def _folder(self, path):
        return self.folders[os.path.dirname(path)]

    def play(self, entry):
        kind, inode = entry.kind, entry.inode
        if kind == CREATE:
            self.files[inode] = File()
            path = entry.names()[0]
            self._folder(path).pending.append([(os.path.basename(path), self.files[inode])])
        elif kind == WRITE:
            self.files[inode].pending.append((entry.a, bytes(entry.data)))
        elif kind == TRUNCATE:
            self.files[inode].pending.append((entry.a, None))
        elif kind == SYNC_BEGIN:
            thing = self.files.get(inode) or self.folders_by_inode().get(inode)
            if thing is not None:
                self.syncs[entry.a] = (thing, thing.done + len(thing.pending))
        elif kind == SYNC_END:
            thing, number = self.syncs.pop(entry.a, (None, 0))
            if thing is not None and not entry.failed:
                thing.brought_to_disk(number)
        else:
            self._name(entry)

    def folders_by_inode(self):
        return {folder.inode: folder for folder in self.folders.values()}

    def _name(self, entry):
        one, two = entry.names()
        folder, name = self._folder(one), os.path.basename(one)
        if entry.kind == MKDIR:
            made = self.folders[one] = Folder(entry.inode)
            self.files.pop(entry.inode, None)
            folder.pending.append([(name, made)])
        elif entry.kind in (UNLINK, RMDIR):
            folder.pending.append([(name, None)])
        else:
            thing = self.files[entry.inode]
            gone = [(name, None)] if entry.kind == RENAME else []
            if folder is self._folder(two):
                folder.pending.append([*gone, (os.path.basename(two), thing)])
            else:
                folder.pending.append(gone)
                self._folder(two).pending.append([(os.path.basename(two), thing)])

    def cut(self, target, mode, chance):
        """Builds into the folder `target` what `root` would be after a power cut now."""
        def build(folder, path):
            os.makedirs(path, exist_ok=True)
            for name, thing in folder.after_the_cut(mode, chance).items():
                inner = os.path.join(path, name)
                if isinstance(thing, Folder):
                    build(thing, inner)
                    continue
                with open(inner, "wb") as f:
                    f.write(thing.after_the_cut(mode, chance))
        build(self.folders[self.root], target)
