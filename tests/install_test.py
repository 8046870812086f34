# SPDX-License-Identifier: Apache-2.0
"""What the documents and the image install is what the program needs, and the example configurations say what they mean."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support.server import BINARY, run_varve

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONTAINERFILE = ROOT / "deploy/Containerfile"
INSTALL = ROOT / "docs/start/install.md"
# Every Debian has these: apt and dpkg themselves need them.
ALWAYS = {"libc6", "libgcc-s1", "libstdc++6", "zlib1g"}
# Files that are opened at run time: zones of time, and certificates of authorities.
DATA = {"tzdata", "ca-certificates"}


def needed():
    """The packages of the libraries that the program itself names."""
    names = re.findall(r"NEEDED\s+(\S+)", subprocess.run(["objdump", "-p", BINARY], capture_output=True, text=True, check=True).stdout)
    files = [f"*/x86_64-linux-gnu/{name}" for name in names if not name.startswith("ld-linux")]
    found = subprocess.run(["dpkg-query", "-S", *files], capture_output=True, text=True, check=True).stdout
    packages = {line.split(":")[0] for line in found.splitlines()}
    return packages - ALWAYS


def installed_by(path):
    """What the one `apt-get install` without -dev packages of this file names."""
    (words,) = re.findall(r"apt-get install ((?:[^\n]*\\\n)*[^\n]*)", path.read_text(encoding="utf-8"))
    words = words.replace("\\\n", " ").partition("&&")[0]
    return {word for word in words.split() if not word.startswith("-")}


class Packages(unittest.TestCase):
    def test_lists_are_what_the_program_needs(self):
        self.assertGreater(len(needed()), 5)
        for path in (CONTAINERFILE, INSTALL):
            with self.subTest(path.name):
                self.assertEqual(installed_by(path) - DATA, needed())
                self.assertLessEqual(DATA, installed_by(path))


class Container(unittest.TestCase):
    def test_what_was_built_is_left_out(self):
        ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
        self.assertLessEqual({"build/", "varve-data/"}, set(ignored))

    def test_the_documented_run_is_a_valid_configuration(self):
        image = dict(re.findall(r"^ENV (\w+)=(\S+)", CONTAINERFILE.read_text(encoding="utf-8"), re.M))
        volume, = re.findall(r"^VOLUME (\S+)", CONTAINERFILE.read_text(encoding="utf-8"), re.M)
        self.assertEqual(image["VARVE_STORAGE_PATH"], volume)
        for path in (CONTAINERFILE, INSTALL):
            with self.subTest(path.name):
                (run,) = re.findall(r"podman run -d --name ((?:[^\n]*\\\n)*[^\n]*)", path.read_text(encoding="utf-8"))
                self.assertIn(f":{volume}", run)
                done = run_varve("check", env={**image, **dict(re.findall(r"-e (\w+)=(\S+)", run))})
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertRegex(done.stdout, r'listen: "?0\.0\.0\.0:8080')


class Examples(unittest.TestCase):
    def test_a_replica_does_everything(self):
        def roles(*arguments):
            done = run_varve("check", *arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return re.search(r"^roles: *([^#]*?) *(?:#.*)?$", done.stdout, re.M)[1]
        self.assertEqual(roles("--config", str(ROOT / "deploy/varve.yaml")), roles())

    def test_a_single_server_has_the_defaults(self):
        def values(*arguments):
            done = run_varve("check", *arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return re.sub(r" *#.*", "", done.stdout)
        self.assertEqual(values("--config", str(ROOT / "deploy/server.yaml")), values("--storage.path=/var/lib/varve"))

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is not installed")
    def test_units_are_confined(self):
        for unit in ("varve.service", "varve@.service"):
            with self.subTest(unit), tempfile.TemporaryDirectory() as folder:
                copy = pathlib.Path(folder) / unit.replace("@", "@a")
                shutil.copy(ROOT / "deploy" / unit, copy)
                done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=30", "--no-pager", str(copy)],
                                      capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(done.returncode, 0, done.stdout[-500:] + done.stderr)


if __name__ == "__main__":
    unittest.main()
