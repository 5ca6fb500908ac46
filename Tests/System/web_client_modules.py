#!/usr/bin/env python3
"""The web client's modules without a browser: their types by the TypeScript compiler, and their pure parts under Node."""

import os
import pathlib
import re
import subprocess

from harness.verdict import Verdict, options

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# A reader far from UTC.
ENVIRONMENT = os.environ | {"TZ": "Pacific/Honolulu", "LC_ALL": "en_US.UTF-8"}


def run(*command):
    done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def types(verdict):
    status, output = run("tsc", "--project", "Sources/WebClient")
    verdict.expect(status == 0, f"the types of the web client agree:\n{output}")


def declarations(verdict):
    """The types of drilldown.js for pages of others: a page compiles with them, and they have the exports of the module."""
    status, output = run("tsc", "--strict", "--noEmit", "--target", "esnext", "--moduleResolution", "node",
                         "Tests/WebClient/types/page.ts")
    verdict.expect(status == 0, f"a page of others compiles with the types:\n{output}")
    status, output = run(
        "node", "--experimental-default-type=module", "--eval",
        "import('./Sources/WebClient/drilldown.js').then(module => console.log([...Object.keys(module), "
        "...Object.getOwnPropertyNames(module.Drilldown.prototype)].join(' ')))")
    names = set(output.split()) - {"constructor"}
    text = (ROOT / "Sources" / "WebClient" / "types" / "drilldown.d.ts").read_text()
    client = text[text.index("class Drilldown"):]
    declared = set(re.findall(r"^export declare (?:const|function|class) (\w+)", text, re.M)) | set(
        re.findall(r"^  (\w+)[(<:]", client[: client.index("\n}")], re.M))
    verdict.expect(names == declared - {"constructor", "address"}, f"the types have the exports: {names ^ declared}")


def units(verdict):
    for file in sorted((ROOT / "Tests" / "WebClient").glob("*.test.js")):
        status, output = run("node", "--experimental-default-type=module", "--test-reporter=tap", str(file))
        lines = output.splitlines()
        for line in lines:
            if line.startswith(("ok ", "not ok ")):
                verdict.expect(line.startswith("ok "), f"{file.name}: {line}")
        if status:
            verdict.expect(False, f"{file.name}:\n{output}")


def main():
    options(__doc__)
    with Verdict("the web client's modules") as verdict:
        types(verdict)
        declarations(verdict)
        units(verdict)


if __name__ == "__main__":
    main()
