# SPDX-License-Identifier: Apache-2.0
"""Packages of npm that a test uses as a user would: fetched into a folder of the user's cache, and run by node."""

import shutil
import subprocess
import unittest

from . import packages


def fetch(name, *requirements):
    """The folder with what these requirements name, and all that they need (packages.fetched)."""
    if not shutil.which("npm") or not shutil.which("node"):
        raise unittest.SkipTest(f"there is no npm and node for {name}")

    def command(folder):
        (folder / "package.json").write_text("{}")
        return ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", *requirements]
    return packages.fetched(f"npm-{name}", f"npm could not fetch {name}", command)


def run(folder, program, *arguments, timeout=120):
    """The program with these packages; returns its exit code and all that it printed."""
    done = subprocess.run(["node", "-e", program, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=timeout, check=False)
    return done.returncode, done.stdout
