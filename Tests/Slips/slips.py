#!/usr/bin/env python3
"""Makes small slips in a module, one at a time, and prints those that no test notices.

The slips are such as a good engineer makes when tired: a boundary off by one, a condition turned round, a statement left out,
a case that does what the next does, an error swallowed. All are compiled at once into a copy of the tree in .build/slips, each
behind `slip(NUMBER)`, which compares the number with the environment variable SLIP. A place that does not compile gives way to
the next by the seed. For each slip, the suites of the module that reach it run first, then those of the modules that depend on
it, nearest first, then the system tests that name the module in '# Covers: …', or in '# Slips: …' if CI runs them for every
change, until one fails; a crash or a hang counts as noticed. Slips that no test reaches need no run.

The page is the module WebClient. Its slips are made in the text, one after the other; the tests are those of its modules
under Node, then the scripts that use a browser, quickest first.

Usage: Tests/Slips/slips.py MODULE[,MODULE…] [--count 60] [--seed 1] [--only PATH] [--suites TEXT] [--jobs 2] [--again] [--list]
       Tests/Slips/slips.py --check
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from places import Edit, Finder, edited  # noqa: E402
from runs import Run  # noqa: E402
from suites import Tests, in_build_order, read_dependencies  # noqa: E402
from tokens import Source  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRATCH = ROOT / ".build" / "slips"
TREE = SCRATCH / "tree"
PAGE = "WebClient"
# Warnings are no errors in the copy, because a slip often leaves a variable unused.
BUILD = [*os.environ.get("SWIFT", "swift").split(), "build", "--no-color-diagnostics", "-Xswiftc", "-gnone", "-Xswiftc", "-suppress-warnings"]
PROGRAMS = TREE / ".build" / "debug"
SWITCH = """\
import Glibc

private let planted = unsafe Int(getenv("SLIP").map { unsafe String(cString: $0) } ?? "") ?? 0
private let log = unsafe getenv("SLIPS_REACHED").map { unsafe open($0, O_WRONLY | O_APPEND | O_CREAT, 0o644) } ?? -1
nonisolated(unsafe) private let reached = {
    let marks = UnsafeMutablePointer<Bool>.allocate(capacity: COUNT + 1)
    unsafe marks.initialize(repeating: false, count: COUNT + 1)
    return unsafe marks
}()

/// Whether the slip with a number is made. Notes each number once if SLIPS_REACHED names a file.
func slip(_ number: Int) -> Bool {
    if log >= 0, unsafe !reached[number] {
        unsafe reached[number] = true
        let line = "\\(number)\\n"
        _ = unsafe line.withCString { unsafe write(log, $0, strlen($0)) }
    }
    return number == planted
}

func slipped<T>(_ number: Int, _ code: T, _ other: T) -> T { slip(number) ? other : code }

func turned(_ number: Int, _ condition: Bool) -> Bool { slip(number) != condition }
"""
SWITCH_NAME = "SlipSwitch.swift"
# The first of the characters that are an operator each, one for each slip.
FIRST_OPERATOR = 0x2190
MOST = 600


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", nargs="?")
    parser.add_argument("--count", type=int, default=60, help="the number of slips")
    parser.add_argument("--seed", type=int, default=1, help="the choice of the places")
    parser.add_argument("--only", default="", help="the beginnings of PATH:LINE: below the module, separated by commas")
    parser.add_argument("--suites", default="", help="a part of the names of the suites and scripts to run")
    parser.add_argument("--jobs", type=int, default=2, help="how many runs at a time")
    parser.add_argument("--again", action="store_true", help="only the slips that the run before with this seed did not notice")
    parser.add_argument("--list", action="store_true", help="print the slips without a run")
    parser.add_argument("--check", action="store_true", help="check that this tool finds the places of a sample")
    options = parser.parse_args()
    if options.check:
        import check
        return check.run()
    modules = in_build_order((options.module or "").split(","), read_dependencies(ROOT))
    for name in modules:
        if not name or not (ROOT / "Sources" / name).is_dir() or name == PAGE != options.module:
            parser.error(f"'{name}' is not a module; the modules are the folders of Sources, and {PAGE} stands alone")
    found = {name: ranked(places_of(name, options.only), options.seed) for name in modules}
    if options.list:
        print("\n".join(str(place) for places in found.values() for place in places[:options.count]))
        return 0
    copy_tree(modules)
    if options.module == PAGE:
        run_page(found[PAGE][:options.count], options)
        return 0
    compiled = [Planted(name, number, places, min(options.count, MOST))
                for number, (name, places) in enumerate(found.items())]
    for planted in compiled:
        planted.compile()
    if (output := build("--build-tests")) is not None:
        sys.exit(f"{output[-4000:]}\nslips: the tests of the copy do not build")
    tests = Tests(TREE, options.jobs, options.suites)
    for planted in compiled:
        run_module(planted, tests, options)
    return 0


def copy_tree(modules):
    """Brings the copy up to date, but for the modules in which slips are made.

    Files that do not differ keep their dates, so that little is built again.
    """
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, check=True, text=True).stdout.split("\0")
    names = {name for name in listed if name and (ROOT / name).is_file()}
    own = tuple(f"Sources/{module}/" for module in modules)
    for path in sorted(TREE.rglob("*")) if TREE.exists() else []:
        name = str(path.relative_to(TREE))
        if not name.startswith((".build/", *own)) and path.is_file() and name not in names:
            path.unlink()
    for name in names:
        if name.startswith(own) and name.endswith(".swift"):
            continue
        data = (ROOT / name).read_bytes()
        if name == "Package.swift":
            data = data.replace(b"    .treatAllWarnings(as: .error),\n", b"")
        write_if_changed(TREE / name, data)
        shutil.copymode(ROOT / name, TREE / name)


def write_if_changed(path, data):
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def places_of(module, only):
    """The places of the module whose path below the module, with the line, begins with one of the texts."""
    folder = ROOT / "Sources" / module
    found = []
    for path in sorted(folder.rglob("*.js" if module == PAGE else "*.swift")):
        name = str(path.relative_to(folder))
        for place in Finder(Source(str(path.relative_to(ROOT)), path.read_text())).find():
            if f"{name}:{place.line}:".startswith(tuple(only.split(","))) and (module != PAGE or place.plain):
                found.append(place)
    return found


def ranked(places, seed):
    """The places in the order in which they are tried: each kind in turn, and no two slips of the same code."""
    chance = random.Random(seed)
    chance.shuffle(places)
    kinds = collections.defaultdict(list)
    for place in places:
        kinds[place.kind].append(place)
    result, taken = [], set()
    while kinds:
        for kind in sorted(kinds):
            while kinds[kind]:
                place = kinds[kind].pop()
                if (place.path, place.anchor) not in taken:
                    taken.add((place.path, place.anchor))
                    result.append(place)
                    break
            else:
                del kinds[kind]
    return result


# MARK: One build for all slips


class Planted:
    """The slips of one module, of which each has a number."""

    def __init__(self, module, place_of_module, places, count):
        self.module = module
        self.first_number = 1 + MOST * place_of_module
        self.count = count
        # The places that did not compile before are not tried again.
        self.log = SCRATCH / f"{module}-refused.txt"
        known = set(self.log.read_text().splitlines()) if self.log.exists() else set()
        self.rest = [place for place in reversed(places) if str(place) not in known]
        # More than are asked for, because some will not compile, and each build takes time.
        self.active = [self.rest.pop() for _ in range(min(count + count // 8, MOST, len(self.rest)))]
        self.plant()

    @property
    def numbered(self):
        return list(enumerate(self.active[:self.count], self.first_number))

    def compile(self):
        """Drops places until the module compiles; the next places by rank take their turn."""
        while (output := build("--target", self.module)) is not None or len(self.active) < self.count and self.rest:
            if output is not None:
                broken = refused(output, self.active)
                if not broken:
                    sys.exit(f"{output[-4000:]}\nslips: the copy does not compile, and no slip explains it")
                print(f"{self.module}: {len(broken)} places do not compile", flush=True)
                self.active = [place for place in self.active if place not in broken]
                with self.log.open("a") as file:
                    file.writelines(f"{place}\n" for place in broken)
            while self.rest and len(self.active) < self.count:
                self.active.append(self.rest.pop())
            self.plant()

    def plant(self):
        """Writes the files of the module with the slips in them, and the file with the switch."""
        by_path = collections.defaultdict(list)
        text = SWITCH.replace("COUNT", str(self.first_number + MOST))
        for number, place in enumerate(self.active):
            names = {"NUMBER": str(self.first_number + number), "OPERATOR": chr(FIRST_OPERATOR + number)}
            by_path[place.path] += [
                Edit(edit.start, edit.end, replaced(edit.text, names), edit.partner) for edit in place.guarded]
            text += replaced(place.declaration, names)
        folder = f"Sources/{self.module}"
        for path in (TREE / folder).rglob("*.swift"):
            if not (ROOT / path.relative_to(TREE)).exists() and path.name != SWITCH_NAME:
                path.unlink()
        for path in (ROOT / folder).rglob("*.swift"):
            name = str(path.relative_to(ROOT))
            # What other modules inline may use nothing that is internal, as the switch is.
            planted = edited(path.read_text(), by_path[name]).replace("@inlinable ", "").replace("@inlinable\n", "\n")
            write_if_changed(TREE / name, planted.encode())
        write_if_changed(TREE / folder / SWITCH_NAME, text.encode())


def build(*arguments):
    """Builds in the copy; returns the output if that fails."""
    done = subprocess.run([*BUILD, *arguments], cwd=TREE, capture_output=True, text=True)
    return None if done.returncode == 0 else done.stdout + done.stderr


def replaced(text, names):
    for name, value in names.items():
        text = text.replace(name, value)
    return text


def refused(output, active):
    """The places that a compiler's errors are about: those on the line, else the nearest one in the file."""
    broken = []
    for path, line in set(re.findall(r"^(\S+\.swift):(\d+):\d+: error: ", output, re.MULTILINE)):
        name = os.path.relpath(path, TREE) if os.path.isabs(path) else path
        here = [place for place in active if place.path == name]
        on_line = [place for place in here if place.line <= int(line) <= place.last_line]
        if not on_line and here:
            on_line = [min(here, key=lambda place: (abs(place.line - int(line)), place.line))]
        broken += on_line
    return broken


# MARK: Tests


def run_module(planted, tests, options):
    """Runs the tests for each slip, and reports the outcomes as they come."""
    report = Report(planted.module, options.seed)
    before = report.noticed_before() if options.again else {}
    for _, place in planted.numbered:
        if str(place) in before:
            report.add(place, before[str(place)], True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = {pool.submit(tests.notice, planted.module, number): place for number, place in planted.numbered
                if str(place) not in before}
        for run in concurrent.futures.as_completed(runs):
            report.add(runs[run], *run.result())
    report.finish()


def run_page(places, options):
    """The outcome of each slip in the page, made in the text and embedded in a server of its own."""
    if (output := build("--product", "drilldown")) is not None:
        sys.exit(f"{output[-4000:]}\nslips: the copy does not build")
    packages = TREE / ".build" / "browser"
    if not packages.exists():
        packages.symlink_to(ROOT / ".build" / "browser")
    server = str(PROGRAMS / "drilldown")

    def run(script, limit):
        return Run([sys.executable, script, "--server", server], TREE, {}, limit)

    costs, finds = {}, collections.Counter()
    units = str(TREE / "Tests" / "System" / "web_client_modules.py")
    for script in [units, *map(str, sorted((TREE / "Tests" / "System").glob("browser_*.py")))]:
        if options.suites not in script:
            continue
        baseline = run(script, 300)
        costs[script] = baseline.seconds
        print(f"{pathlib.Path(script).name}: {baseline.seconds:.0f} s {baseline.noticed or ''}", flush=True)
        if baseline.noticed:
            del costs[script]
    report = Report(PAGE, options.seed)
    for place in places:
        text = (ROOT / place.path).read_text()
        (TREE / place.path).write_text(edited(text, place.plain))
        noticed, is_built = None, False
        # Those that find much for their time come first; the modules need no server.
        for script in sorted(costs, key=lambda script: (script != units, costs[script] / (1 + finds[script]))):
            if script != units and not is_built:
                build("--product", "drilldown")
                is_built = True
            if found := run(script, 3 * costs[script] + 20).noticed:
                noticed = f"{pathlib.Path(script).stem}: {found}"
                finds[script] += 1
                break
        (TREE / place.path).write_text(text)
        report.add(place, noticed, True)
    report.finish()


# MARK: Report


class Report:
    """Prints the outcomes as they come, and writes them into a file: so nothing is lost if the run is stopped."""

    def __init__(self, module, seed):
        self.module = module
        self.begun = time.monotonic()
        self.outcomes = []
        self.log = SCRATCH / f"{module}-{seed}.txt"

    def noticed_before(self):
        """What noticed each slip in the run before, by the texts of the places."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return {place: noticed for noticed, _, place in (line.split("\t", 2) for line in lines) if noticed != "-"}

    def add(self, place, noticed, is_reached):
        self.outcomes.append((place, noticed, is_reached))
        self.log.write_text("".join(f"{noticed or '-'}\t{place.kind}\t{place}\n" for place, noticed, _ in self.outcomes))
        count = sum(bool(noticed) for _, noticed, _ in self.outcomes)
        print(f"{count} of {len(self.outcomes)} noticed, {time.monotonic() - self.begun:.0f} s: "
              f"{'noticed' if noticed else 'UNNOTICED'} {self.described(place, is_reached)}", flush=True)

    @staticmethod
    def described(place, is_reached):
        return f"{place}{'' if is_reached else ' [no test reaches it]'}"

    def finish(self):
        unnoticed = [(place, is_reached) for place, noticed, is_reached in self.outcomes if not noticed]
        kinds = collections.Counter(place.kind for place, _, _ in self.outcomes)
        missed = collections.Counter(place.kind for place, _ in unnoticed)
        print(f"\nUnnoticed in {self.module}:")
        for place, is_reached in sorted(unnoticed, key=lambda found: (found[0].path, found[0].line)):
            print(f"  {self.described(place, is_reached)}")
        print("\nNoticed: " + ", ".join(f"{kind} {kinds[kind] - missed[kind]} of {kinds[kind]}" for kind in sorted(kinds)))
        if self.outcomes:
            noticed = len(self.outcomes) - len(unnoticed)
            print(f"{self.module}: {noticed} of {len(self.outcomes)} slips noticed, {100 * noticed // len(self.outcomes)} of 100; "
                  f"{self.log.relative_to(ROOT)} names what noticed each", flush=True)


if __name__ == "__main__":
    sys.exit(main())
