# SPDX-License-Identifier: Apache-2.0
"""The command line and the configuration: what is refused, how clearly, and which source wins."""

import os
import re
import tempfile
import unittest

from support import certificates
from support.server import Server, free_port, run_varve

BAD = [
    # arguments, environment, what the one line has to name
    (["--bogus=1"], {}, ["bogus"]),
    (["--storage.pth=x"], {}, ["storage.pth", "storage.path"]),
    (["--storage.sync=sometimes"], {}, ["storage.sync", "sometimes", "always"]),
    (["--storage.sync=-1s"], {}, ["storage.sync", "-1s"]),
    (["--http.listen=nowhere"], {}, ["http.listen", "nowhere"]),
    (["--http.listen=127.0.0.1:99999"], {}, ["http.listen", "99999"]),
    (["--http.listen=0.0.0.0:8080"], {}, ["0.0.0.0", "http.insecure_public"]),
    (["--telnet.listen=0.0.0.0:4242"], {}, ["0.0.0.0", "insecure_public"]),
    (["--http.body_max=big"], {}, ["http.body_max", "big"]),
    (["--http.insecure_public=maybe"], {}, ["http.insecure_public", "maybe", "true"]),
    (["--slots.width=7"], {}, ["slots.width", "7"]),
    (["--slots.width=7m"], {}, ["slots.width", "7m"]),
    (["--slots.width=1ms"], {}, ["slots.width", "1ms"]),
    (["--slots.quiet=0s"], {}, ["slots.quiet"]),
    (["--rollups=5m"], {}, ["rollups", "5m"]),
    (["--tenant.default=a/b"], {}, ["tenant.default", "a/b"]),
    (["--limits.series_per_tenant=many"], {}, ["limits.series_per_tenant", "many"]),
    (["--query.memory=12"], {}, ["query.memory", "12"]),
    (["--tags.limit_action=drop"], {}, ["tags.limit_action", "drop", "exclude"]),
    (["--tags.value_max=0"], {}, ["tags.value_max", "0"]),
    (["--tags.value_max=64KiB"], {}, ["tags.value_max", "65535"]),
    (["--tags.excluded_keys=a,,b"], {}, ["tags.excluded_keys", "a,,b"]),
    (["--engine=punchcards"], {}, ["engine", "punchcards", "embedded"]),
    ([], {"VARVE_STORAGE_SYNC": "never"}, ["storage.sync", "never"]),
    ([], {"VARVE_BOGUS": "1"}, ["VARVE_BOGUS"]),
    (["--config=/does/not/exist.yaml"], {}, ["/does/not/exist.yaml"]),
    (["word"], {}, ["word"]),
]

FILES = [
    # text, what the line has to name
    ("storage:\n  pth: x\n", ["storage.pth"]),
    ("storage:\n  sync: rarely\n", ["storage.sync", "rarely"]),
    ("bogus: 1\n", ["bogus"]),
    ("storage: [1, 2]\n", ["storage"]),
    ("storage:\n  path: 'unclosed\n", ["yaml"]),
    ("rollups: [5m:1y]\nraw:\n  retention: 1d\nrollups: [1h:1y]\n", ["varve.yaml:4", "rollups is given twice", "varve.yaml:1"]),
    ("storage.path: a\nstorage:\n  path: b\n", ["varve.yaml:3", "storage.path is given twice", "varve.yaml:1"]),
    ("http: 127.0.0.1:8080\n", ["http is a group of keys"]),
]


class Configuration(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory(prefix="varve-config-")
        self.addCleanup(self.dir.cleanup)

    def file(self, text):
        path = os.path.join(self.dir.name, "varve.yaml")
        with open(path, "w") as f:
            f.write(text)
        return path

    def run_in_dir(self, *arguments, env=None):
        return run_varve(*arguments, env=env, cwd=self.dir.name)

    def test_faults_stop_the_start_with_2(self):
        for arguments, env, names in BAD:
            for command in ("serve", "check"):
                with self.subTest(f"{command} {arguments} {env}"):
                    done = self.run_in_dir(command, *arguments, env=env)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    for name in names:
                        self.assertIn(name, done.stderr)
                    self.assertEqual(os.listdir(self.dir.name), [], "nothing was created")

    def test_faults_in_a_file(self):
        for text, names in FILES:
            with self.subTest(text):
                path = self.file(text)
                done = self.run_in_dir("check", f"--config={path}")
                self.assertEqual(done.returncode, 2, done.stderr)
                for name in names:
                    self.assertIn(name, done.stderr)

    def test_files_that_it_names_are_read(self):
        """Else a check says yes, and the start says no, again and again."""
        own = os.path.join(self.dir.name, "own")
        os.mkdir(own)

        def file(name, text, mode=0o600):
            path = os.path.join(own, name)
            with open(path, "w") as f:
                f.write(text)
            os.chmod(path, mode)
            return path
        tls = "--syslog.tls=127.0.0.1:6514"
        certificate, key = certificates.make(own, "server")
        cases = [
            ([tls, "--syslog.certificate=/nope", f"--syslog.key={key}"], ["syslog.certificate=/nope"]),
            ([tls, f"--syslog.certificate={certificate}", f"--syslog.key={certificate}"], ["syslog.key="]),
            ([tls, f"--syslog.certificate={certificate}", f"--syslog.key={key}", "--syslog.client_ca=/nope"], ["syslog.client_ca=/nope"]),
            (["--snmp.credentials=/nope"], ["snmp.credentials: /nope cannot be read"]),
            ([f"--snmp.credentials={file('open', 'a: {community: x}', 0o644)}"], ["others can read"]),
            ([f"--snmp.credentials={file('bad', 'a: {comunity: x}')}"], ["a.comunity: no such field"]),
            ([f"--snmp.credentials={file('twice', 'a: {community: x}' + chr(10) + 'a: {community: y}')}"], ["a is given twice"]),
            (["--esmond.keys=/nope"], ["esmond.keys: /nope cannot be read"]),
            (["--engine=cluster", "--cassandra.password_file=/nope", f"--tls.ca={own}"], ["cassandra.password_file=/nope", "tls.ca="]),
        ]
        for arguments, names in cases:
            for command in ("check", "serve"):
                with self.subTest(f"{command} {arguments}"):
                    done = self.run_in_dir(command, *arguments)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    for name in names:
                        self.assertIn(name, done.stderr)
                    self.assertEqual(os.listdir(self.dir.name), ["own"], "nothing was created")
        done = self.run_in_dir("check", tls, f"--syslog.certificate={certificate}", f"--syslog.key={key}",
                               f"--snmp.credentials={file('good', 'a: {community: x}')}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_directory_of_somebody_else(self):
        os.mkdir(os.path.join(self.dir.name, "lost+found"))
        with open(os.path.join(self.dir.name, "thesis.tex"), "w"):
            pass
        done = self.run_in_dir("serve", "--storage.path=.", f"--http.listen=127.0.0.1:{free_port()}", "--telnet.listen=")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("there are other files in . (thesis.tex)", done.stderr)
        self.assertEqual(sorted(os.listdir(self.dir.name)), ["lost+found", "thesis.tex"])

    def test_one_line_for_each_fault(self):
        done = self.run_in_dir("check", "--storage.sync=x", "--query.memory=y", "--nonsense=1")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len([line for line in done.stderr.splitlines() if line.strip()]), 3, done.stderr)

    def test_check_prints_everything_with_defaults(self):
        done = self.run_in_dir("check")
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("sync: 1s", "127.0.0.1:8080", "body_max: 64MiB", "quiet: 5m", "retention: 90d"):
            self.assertIn(word, done.stdout)

    def test_what_check_prints_is_a_configuration(self):
        done = self.run_in_dir("check", "--storage.sync=250ms", "--slots.width=2h")
        path = self.file(done.stdout)
        again = self.run_in_dir("check", f"--config={path}")
        self.assertEqual(again.returncode, 0, again.stderr)
        # But for the comments, which tell where each value was said.
        values = [re.sub(" *#.*", "", text) for text in (done.stdout, again.stdout)]
        self.assertEqual(values[1], values[0])

    def test_flag_beats_environment_beats_file_beats_default(self):
        path = self.file("storage:\n  sync: 3s\nquery:\n  timeout: 3s\nslots:\n  jobs: 3\n")
        done = self.run_in_dir("check", f"--config={path}", "--storage.sync=1500ms",
                               env={"VARVE_STORAGE_SYNC": "2s", "VARVE_QUERY_TIMEOUT": "2s"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"sync: (1500ms|1\.5s)")
        self.assertRegex(done.stdout, r"timeout: 2s")
        self.assertRegex(done.stdout, r"jobs: 3")

    def test_secrets_are_hidden(self):
        done = self.run_in_dir("check", "--redis.url=redis://user:hunter2@127.0.0.1:6379")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("hunter2", done.stdout + done.stderr)

    def test_version_and_help(self):
        done = self.run_in_dir("version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^varve \d+\.\d+\.\d+ \(.+, .+\)\n$")
        for command in ("serve", "check", "version"):
            done = self.run_in_dir(command, "--help")
            self.assertEqual(done.returncode, 0, command)
            self.assertIn("varve " + command, done.stdout)
        for arguments in (["dance"], []):
            done = self.run_in_dir(*arguments)
            self.assertEqual(done.returncode, 2 if arguments else done.returncode)
            self.assertIn("serve", done.stdout + done.stderr)

    def test_serve_with_a_file_and_environment(self):
        server = Server(env={"VARVE_TENANT_DEFAULT": "fromenv"})
        self.addCleanup(server.close)
        server.start(config=self.file("query:\n  timeout: 5s\n"))
        server.influx("where value=1 1790000000000")
        self.assertEqual(server.values("where", headers={"X-Tenant": "fromenv"}), [(1790000000000, 1)])

    def test_public_bind_with_the_flag(self):
        server = Server({"http.insecure_public": "true"})
        self.addCleanup(server.close)
        server.spawn(**{"telnet.listen": ""})
        server.kill()
        done = self.run_in_dir("check", "--http.listen=0.0.0.0:8080", "--http.insecure_public=true")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
