# SPDX-License-Identifier: Apache-2.0
"""Packages of other languages that tests use as a user would: fetched once into a folder of the user's cache, never into the system."""

import os
import pathlib
import shutil
import subprocess
import unittest


def fetched(name, what, command):
    """The folder that `command(folder)` fills: a command line, run there. Where it cannot, the test that wants `what` is skipped:
    what is tested is varve, not the way to packages."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    folder = cache / "varve" / name
    if folder.is_dir():
        return folder
    # Into a folder beside it first, so that two at once, or one that is interrupted, leave nothing half done.
    fresh = cache / "varve" / f"{name}.{os.getpid()}"
    fresh.mkdir(parents=True)
    done = subprocess.run(command(fresh), cwd=fresh, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        shutil.rmtree(fresh, ignore_errors=True)
        raise unittest.SkipTest(f"{what}:\n{done.stdout[-3000:]}")
    try:
        fresh.rename(folder)
    except OSError:  # somebody else was faster
        shutil.rmtree(fresh)
    return folder
