# SPDX-License-Identifier: Apache-2.0
"""Certificates for tests of TLS, made with the program openssl."""

import os
import subprocess


def make(folder, name, authority=None):
    """NAME.crt and NAME.key in the folder, for 127.0.0.1; signed by that authority's, or by itself as one."""
    def at(file):
        return os.path.join(folder, file)
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}",
               "-keyout", at(name + ".key"), "-out", at(name + ".crt"), "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
    if authority:
        command += ["-CA", at(authority + ".crt"), "-CAkey", at(authority + ".key"), "-addext", "basicConstraints=critical,CA:FALSE"]
    subprocess.run(command, check=True, capture_output=True)
    return at(name + ".crt"), at(name + ".key")
