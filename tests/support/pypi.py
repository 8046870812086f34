# SPDX-License-Identifier: Apache-2.0
"""Python packages that a test uses as a user would: fetched with pip into a folder of the user's cache, never into the system."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import unittest


def fetch(name, *requirements):
    """The folder with what these requirements name, and all that they need. Where there is no way to the packages, the test
    that wants them is skipped: what is tested is varve, not the way."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    folder = cache / "varve" / name
    if not folder.is_dir():
        # Into a folder beside it first, so that two at once, or one that is interrupted, leave nothing half done.
        fresh = cache / "varve" / f"{name}.{os.getpid()}"
        fresh.parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check",
                   "--root-user-action=ignore", "--target", str(fresh), *requirements]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            shutil.rmtree(fresh, ignore_errors=True)
            raise unittest.SkipTest(f"pip could not fetch {name} (./dev setup installs pip):\n{done.stdout[-3000:]}")
        try:
            fresh.rename(folder)
        except OSError:  # somebody else was faster
            shutil.rmtree(fresh)
    return folder


@contextlib.contextmanager
def importable(folder):
    """In the block, packages of the folder come before all others."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
