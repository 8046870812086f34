# SPDX-License-Identifier: Apache-2.0
"""./dev tells a newcomer what it builds and how far it is, and compiles files together as long as nothing was built. CMake and
ninja are played."""

import os
import pathlib
import pty
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
CMAKE = """#!/bin/sh
echo "$@" >>asked
echo VARVE_UNITY:BOOL=ON >build/CMakeCache.txt
"""
NINJA = """#!/bin/sh
case "$*" in *'-t commands'*) seq 120; exit ;; esac
echo "ninja: Entering directory \\`build'"
touch build/.ninja_log
say() { printf '@step %s of 3@ Building CXX object %s\\n' "$1" "$1"; }
$PLAY
"""
# What the build needs is there.
DPKG = "#!/bin/sh\nsed -n '/^build_packages=/,/)/p' dev | tr -d '()' | sed 's/build_packages=//' | tr ' ' '\\n' | sed 's/^/installed /'\n"


class Build(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="varve-dev-")
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)
        shutil.copy(ROOT / "dev", self.root)
        (self.root / "drivers").mkdir()
        (self.root / "drivers/Cargo.toml").write_text('rust-version = "1.0"\n')
        for name, text in (("cmake", CMAKE), ("ninja", NINJA), ("dpkg-query", DPKG), ("cargo", "#!/bin/sh\necho cargo 1.99.0\n")):
            path = self.root / "bin" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text.replace("$PLAY", 'eval "$PLAY"'))
            path.chmod(0o755)

    def build(self, play, **more):
        env = {k: v for k, v in os.environ.items() if k != "DEV_UNITY"}
        env |= {"PATH": f"{self.root}/bin:{os.environ['PATH']}", "PLAY": play, **more.pop("env", {})}
        return subprocess.run(["bash", str(self.root / "dev"), "build"], env=env, text=True, timeout=60, check=False, **more)

    def piped(self, play, **more):
        return self.build(play, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)

    def test_the_first_build_compiles_together(self):
        first = self.piped("say 1")
        self.assertEqual(first.returncode, 0, first.stdout)
        self.assertRegex(first.stdout, r"^dev: building build from nothing: 120 steps on \d+ processors, about \d+ minutes")
        second = self.piped("echo 'ninja: no work to do.'")
        self.assertEqual((second.returncode, second.stdout), (0, ""))
        self.piped("say 1", env={"DEV_UNITY": "OFF"})
        asked = (self.root / "asked").read_text().splitlines()
        self.assertEqual(asked, ["--preset release -DVARVE_UNITY=ON", "--preset release", "--preset release -DVARVE_UNITY=OFF"])

    def test_a_line_every_ten_seconds(self):
        done = self.piped("say 1; say 2; sleep 11; say 3; sleep 3")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"\n(dev: 2 of 3 done\n)+(dev: 3 of 3 done\n)?dev: built build in \d\d s\n$")

    def test_what_compilers_say_goes_through(self):
        done = self.piped("say 1; echo 'FAILED: x.o'; printf 'x.cc:1: error'; sleep 3; printf ': so\\nlast'; exit 1")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.splitlines()[1:], ["FAILED: x.o", "x.cc:1: error: so", "last"])

    def test_one_line_of_a_terminal(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        done = self.build("say 1; say 2; echo 'a warning'; say 3", stdout=theirs, stderr=theirs)
        os.close(theirs)
        self.assertEqual(done.returncode, 0)
        shown = os.read(ours, 65536).decode()
        self.assertIn("\r\x1b[Kdev: 1 of 3\r\x1b[Kdev: 2 of 3\r\x1b[Ka warning\r\n\r\x1b[Kdev: 3 of 3\r\x1b[K", shown)


if __name__ == "__main__":
    unittest.main()
