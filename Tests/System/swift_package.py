#!/usr/bin/env python3
"""A package of its own depends on this one, by path and by the URL of a git repository, and prints a document in ten lines.

It is built without the network, with warnings as errors, by path with one build system of SwiftPM and by URL with the other; so is the app of the manual's page about the client library, with stubs in place of SwiftUI and UIKit.
"""

# Covers: DrilldownClient DrilldownDates

import concurrent.futures
import os
import plistlib
import re
import shutil
import subprocess
import tempfile

from harness.client import DEADLINE
from harness.pasted import FENCE, ROOT, section
from harness.server import Server, clean_environment
from harness.verdict import Verdict, options

DATA = os.path.join(ROOT, "Data", "Data.plist")
PAGE = os.path.join(ROOT, "Sources", "drilldown", "drilldown.docc", "SwiftClient.md")
VERSION = "0.1.0"
BUILD_DEADLINE = 600
# Each passes other flags to the compiler for a dependency. Xcode has the second.
BUILD_SYSTEMS = ("native", "swiftbuild")
# The second makes a library of each module on Linux, for which it passes an option that clang does not need.
LINKER_WARNING = "clang: warning: argument unused during compilation: '-rdynamic'"

MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

let package = Package(
    name: "consumer",
    platforms: [.iOS(.v17), .macOS(.v14)],
    dependencies: [.package(%s)],
    targets: [
        .target(
            name: "Model", dependencies: [.product(name: "DrilldownClient", package: "%s")], swiftSettings: settings),
        // Stubs of Apple's frameworks, and the screens of the app, which use them.
        .target(name: "UIKit"),
        .target(name: "SwiftUI", dependencies: ["UIKit"]),
        .target(
            name: "Screens", dependencies: [
                "SwiftUI", "UIKit", .product(name: "DrilldownClient", package: "%s"),
                .product(name: "DrilldownPreviews", package: "%s"),
            ], swiftSettings: settings),
        .executableTarget(
            name: "tree", dependencies: ["Model", "Screens", .product(name: "DrilldownClient", package: "%s")],
            swiftSettings: settings),
    ]
)
"""


def run(command, folder, deadline=DEADLINE):
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=deadline, stdin=subprocess.DEVNULL,
        env=clean_environment({"GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
                               "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}))


def blocks_of_page(title, page=PAGE):
    """The blocks of Swift in a section of a page."""
    with open(page, encoding="utf-8") as file:
        return [text for language, text in FENCE.findall(section(file.read(), title)) if language == "swift"]


def repository(folder):
    """A git repository of the working tree as it is, with a tag."""
    target = os.path.join(folder, "drilldown")
    listed = run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "Package.swift", "Sources", "Tests"], ROOT)
    for name in listed.stdout.splitlines():
        source = os.path.join(ROOT, name)
        if os.path.isfile(source):
            os.makedirs(os.path.dirname(os.path.join(target, name)), exist_ok=True)
            shutil.copy(source, os.path.join(target, name))
    author = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
    for command in (["init", "--quiet"], ["add", "--all"], [*author, "commit", "--quiet", "--message", "All"], ["tag", VERSION]):
        result = run(["git", *command], target)
        if result.returncode != 0:
            raise RuntimeError(f"git {command}: {result.stderr}")
    return target


def consumer(folder, name, requirement, package, program, model):
    """A package with the program, the model and the screens of the app; gives its folder."""
    target = os.path.join(folder, name)
    files = {
        "Package.swift": MANIFEST % (requirement, package, package, package, package),
        "Sources/tree/main.swift": program,
        "Sources/Model/Model.swift": model,
        # A macro would need an implementation.
        "Sources/Screens/SwiftUI.swift": blocks_of_page("SwiftUI")[0].replace(
            "#Preview {", "@MainActor func preview() -> some View {"),
        "Sources/Screens/UIKit.swift": blocks_of_page("UIKit")[0],
    }
    for stub in ("UIKit", "SwiftUI"):
        with open(os.path.join(ROOT, "Tests", "System", "apple", stub + ".swift"), encoding="utf-8") as file:
            files[f"Sources/{stub}/{stub}.swift"] = file.read()
    for path, text in files.items():
        path = os.path.join(target, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return target


def built(target, system):
    """Builds a package with a build system; gives what was printed, and the program if there is one."""
    # The lock of SwiftPM is per machine and folder; this folder is used by nobody else.
    command = ["swift", "build", "--disable-dependency-cache", "--ignore-lock", "--build-system", system]
    result = run(command, target, BUILD_DEADLINE)
    place = run([*command, "--show-bin-path"], target)
    program = os.path.join(place.stdout.strip(), "tree")
    return result, program if result.returncode == 0 and os.path.exists(program) else None


def tree(items, indent=""):
    """The titles of a document as the program prints them."""
    for item in items:
        if isinstance(item, str):
            yield indent + item
        else:
            yield indent + item["Title"]
            yield from tree(item.get("Children", []), indent + "  ")


def main():
    arguments = options(__doc__)
    program = blocks_of_page("Ten lines")[0]
    # The part of the app that needs no user interface of Apple's.
    model = blocks_of_page("The service of the app")[0]
    with open(DATA, "rb") as file:
        expected = "\n".join(tree(plistlib.load(file)["Rows"])) + "\n"
    with Verdict("swift_package") as verdict, tempfile.TemporaryDirectory() as folder:
        lines = [line for line in program.splitlines() if line.strip()]
        verdict.expect(len(lines) <= 10, f"the program has at most ten lines; it has {len(lines)}")
        url = f"file://{repository(folder)}"
        requirements = {
            "path": (f'path: "{ROOT}"', os.path.basename(ROOT)),
            "URL": (f'url: "{url}", from: "{VERSION}"', "drilldown")}
        builds = {}
        with concurrent.futures.ThreadPoolExecutor() as pool:
            # A build takes more than a minute of processor time: two of the four combinations have each kind of both.
            for (name, requirement), system in zip(requirements.items(), BUILD_SYSTEMS, strict=True):
                target = consumer(folder, f"by-{name}-{system}", *requirement, program, model)
                builds[f"{name} with the build system {system}"] = pool.submit(built, target, system)
            builds = {name: build.result() for name, build in builds.items()}
        with Server(arguments.server, DATA) as server:
            for name, (result, tree_program) in builds.items():
                output = result.stdout + result.stderr
                if not verdict.expect(tree_program is not None, f"a package that depends by {name} is built: {output}"):
                    continue
                warnings = [line for line in re.findall(r"^.*\bwarning: .*$", output, re.MULTILINE) if LINKER_WARNING not in line]
                verdict.expect(not warnings, f"without a warning, by {name}: {warnings}")
                shown = run([tree_program, f"http://127.0.0.1:{server.port}"], folder)
                verdict.expect(
                    shown.returncode == 0 and shown.stdout == expected, f"the tree is that of the document, by {name}: {shown}")


if __name__ == "__main__":
    main()
