# SPDX-License-Identifier: Apache-2.0
"""Snippets of the documents, as a reader would copy them, for a server on other ports."""

import pathlib
import re

DOCS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs"


def snippets(document, language, server):
    """The fenced blocks of one language of docs/DOCUMENT, with the ports of the server instead of the usual ones."""
    text = (DOCS / document).read_text(encoding="utf-8")
    ports = {"8080": str(server.port), "4242": str(server.telnet_port)}
    return [re.sub(r"\b(?:8080|4242)\b", lambda found: ports[found[0]], block)
            for block in re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)]
