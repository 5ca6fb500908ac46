#!/usr/bin/env python3
"""Clients that generators make of the description, two for Python, one for Go and one for Swift: they drill down, edit, and read
refusals. That for TypeScript is part of description.py. The packages come from PyPI, with the versions in
harness/description.txt.
"""

# Covers: LevelsAPI/Asking LevelsAPI/Description LevelsAPI/Endpoints

import os
import re
import sys
import tempfile

from harness.environment import ROOT, Environment

ENVIRONMENT = Environment("description")
if __name__ == "__main__" and "--help" not in sys.argv:
    ENVIRONMENT.enter()

from description import DATA, TOKEN, copied, token_file
from harness.client import get
from harness.generated_clients import GoProgram, OpenAPIGeneratorClient, PythonClient, SwiftProgram, drill_down, use_program
from harness.server import Server
from harness.verdict import Verdict, options


def use_libraries(verdict, server_program, folder, path):
    """The clients for Python, and the program in the manual, which prints a leaf."""
    sys.path.insert(0, folder)
    for kind in (PythonClient, OpenAPIGeneratorClient):
        kind.make(verdict, ENVIRONMENT, folder, path)
        place = os.path.join(folder, kind.name)
        os.makedirs(place)
        with Server(server_program, copied(place), "--edit-token-file", token_file(place)) as server:
            drill_down(verdict, kind(server.port, TOKEN), server.port)
            if kind is PythonClient:
                printed = manual_prints(folder, server.port)
                verdict.expect(
                    printed.startswith("Item 1 / Screen A : A lighthouse keeper's day"),
                    f"the program in the manual prints a leaf: {printed}")


def manual_prints(folder, port):
    """What the Python program in the manual prints, with the generated client beside it."""
    with open(os.path.join(ROOT, "Sources", "drilldown", "drilldown.docc", "Description.md"), encoding="utf-8") as page:
        program = re.search(r"^```python\n(.*?)^```", page.read(), re.MULTILINE | re.DOTALL)[1]
    return ENVIRONMENT.run("python3", "-c", program.replace(":8080", f":{port}"), timeout=60, cwd=folder).stdout


def main():
    arguments = options(__doc__)
    with Verdict("description_clients") as verdict, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "openapi.json")
        with Server(arguments.server, os.path.join(DATA, "Data.plist")) as server, open(path, "wb") as file:
            file.write(get(server.port, "/openapi.json").body)
        use_libraries(verdict, arguments.server, folder, path)
        for kind in (GoProgram, SwiftProgram):
            place = os.path.join(folder, kind.name)
            os.makedirs(place)
            program = kind.make(verdict, ENVIRONMENT, place, path)
            with Server(arguments.server, copied(place), "--edit-token-file", token_file(place)) as server:
                use_program(verdict, kind.name, program, server.port, TOKEN)


if __name__ == "__main__":
    main()
