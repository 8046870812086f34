# SPDX-License-Identifier: Apache-2.0
"""Packages of npm that a test uses as a user would: fetched into a folder of the user's cache, and run by node."""

import os
import pathlib
import shutil
import subprocess
import unittest


def fetch(name, *requirements):
    """The folder with what these requirements name, and all that they need. Where there is no node, or no way to the packages,
    the test that wants them is skipped: what is tested is varve, not the way."""
    if not shutil.which("npm") or not shutil.which("node"):
        raise unittest.SkipTest(f"there is no npm and node for {name}")
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    folder = cache / "varve" / f"npm-{name}"
    if folder.is_dir():
        return folder
    fresh = cache / "varve" / f"npm-{name}.{os.getpid()}"  # so that two at once, or an interrupted one, leave nothing half done
    fresh.mkdir(parents=True)
    (fresh / "package.json").write_text("{}")
    done = subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", *requirements], cwd=fresh,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        shutil.rmtree(fresh)
        raise unittest.SkipTest(f"npm could not fetch {name}:\n{done.stdout[-3000:]}")
    try:
        fresh.rename(folder)
    except OSError:  # somebody else was faster
        shutil.rmtree(fresh)
    return folder


def run(folder, program, *arguments, timeout=120):
    """The program with these packages; returns its exit code and all that it printed."""
    done = subprocess.run(["node", "-e", program, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=timeout, check=False)
    return done.returncode, done.stdout
