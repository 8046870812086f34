# SPDX-License-Identifier: Apache-2.0
"""Debian packages that a test uses without installing them: fetched with apt-get and unpacked into a folder of the user's cache.
So programs that Debian has only one of at a time (rsyslog and syslog-ng) are there, and no service is started."""

import os
import pathlib
import shutil
import subprocess
import unittest

LIBRARIES = ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"]


def unpacked(name, *packages):
    """The folder with these packages and what they need that this machine lacks. Where there is no way to the packages, the
    test that wants them is skipped: what is tested is varve, not the way."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    folder = cache / "varve" / f"debian-{name}"
    if not folder.is_dir():
        # Into a folder beside it first, so that two at once, or one that is interrupted, leave nothing half done.
        fresh = cache / "varve" / f"debian-{name}.{os.getpid()}"
        try:
            _fetch(fresh, packages)
            fresh.rename(folder)
        except OSError:
            if not folder.is_dir():  # else somebody else was faster
                raise
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    return folder


def library_path(folder, *more):
    return ":".join(str(folder / path) for path in [*more, *LIBRARIES])


def _fetch(folder, packages):
    archives, lists = folder / "archives", folder / "lists"
    for path in (archives / "partial", lists / "partial"):
        path.mkdir(parents=True)
    options = ["-q", "-y", "-o", "Debug::NoLocking=1", "-o", f"Dir::Cache::archives={archives}"]
    own_lists = ["-o", f"Dir::State::lists={lists}"]  # where those of the system are not there, or too old
    fetch = ["install", "--no-install-recommends", "--reinstall", "--download-only", *packages]
    for command in ([*options, *fetch], [*options, *own_lists, "update"], [*options, *own_lists, *fetch]):
        done = subprocess.run(["apt-get", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode == 0 and "update" not in command:
            break
    else:
        raise unittest.SkipTest(f"apt-get could not fetch {' '.join(packages)}:\n{done.stdout[-3000:]}")
    for archive in sorted(archives.glob("*.deb")):
        subprocess.run(["dpkg", "-x", str(archive), str(folder)], check=True)
    shutil.rmtree(archives)
    shutil.rmtree(lists)
