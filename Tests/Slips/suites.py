"""The tests that reach a slip, and which of them notices it.

Each suite runs once alone without a slip: how long it takes is known then, and which slips it reaches. Of the suites that reach a
slip, those that reach little and are quick run first, several in one process.
"""

import concurrent.futures
import re
import subprocess
import sys
import threading

from runs import TOO_LONG, Run

# The seconds of the first suites that run for a slip; each process after that takes up to four times as long as the one before.
FIRST = 5


def read_dependencies(root):
    """The names of the modules that each target of the manifest depends on."""
    manifest = (root / "Package.swift").read_text()
    dependencies = {}
    for name, entry in re.findall(r'arget\(\s*name: "([^"]+)",(.*?)(?=\n        \.|\n    \])', manifest, re.DOTALL):
        listed = re.search(r"dependencies: \[(.*?)\]", entry, re.DOTALL)
        dependencies[name] = set(re.findall(r'"([^"]+)"', listed[1])) if listed else set()
    return dependencies


def in_build_order(modules, dependencies):
    """The modules, each after those that it depends on."""
    def depth(module):
        return 1 + max((depth(name) for name in dependencies.get(module, ())), default=0)

    return sorted(modules, key=depth)


class Suite:
    """The tests of one type, `Module.Type`, or a system test, `script`."""

    def __init__(self, name):
        self.name = name
        # Tests that failed without a slip, but not each time.
        self.unsteady = set()
        # What failed without a slip each time; such a suite tells nothing.
        self.failure = None
        self.seconds = 0
        self.reached = set()

    @property
    def rank(self):
        return len(self.reached) * self.seconds


class Tests:
    """The tests of a copy of the tree."""

    def __init__(self, tree, jobs, part):
        """`part` is a part of the names of the suites to run."""
        self.tree = tree
        self.jobs = jobs
        self.programs = tree / ".build" / "debug"
        self.library = [str(self.programs / "drilldownPackageTests.xctest"), "--testing-library", "swift-testing"]
        self.dependencies = read_dependencies(tree)
        listed = subprocess.run([*self.library, "--list-tests"], capture_output=True, check=True, text=True).stdout
        names = {line.split("/")[0] for line in listed.splitlines() if re.match(r"\w+\.\S+/", line)}
        scripts = {path.stem for path in (tree / "Tests" / "System").glob("*.py")}
        self.suites = {name: Suite(name) for name in names | scripts if part in name}
        self.measured = set()
        self.lock = threading.Lock()

    def near(self, module):
        """The suites that may reach a module, in groups: those of each test target that depends on it, the nearest first; then
        the system tests that name it."""
        distances, edge = {module: 0}, [module]
        while edge:
            edge = [name for name, needs in self.dependencies.items() if name not in distances and needs & set(edge)]
            distances.update(
                (name, 1 + min(distances[need] for need in self.dependencies[name] if need in distances)) for name in edge)
        own = {"drilldown": "CommandTests", "drilldown-browse": "BrowseTests"}.get(module, module + "Tests")
        targets = sorted((name for name in distances if name.endswith("Tests")),
                         key=lambda name: (name != own, distances[name], name))
        groups = [(target, [suite for name, suite in self.suites.items() if name.startswith(f"{target}.")]) for target in targets]
        scripts = [suite for name, suite in self.suites.items() if "." not in name and module in self.covered(name)]
        return [(target, suites) for target, suites in [*groups, ("System", scripts)] if suites]

    def covered(self, script):
        found = re.search("^# (?:Covers|Slips): (.*)", self.script(script).read_text(), re.MULTILINE)
        return found[1].split() if found else []

    def script(self, name):
        return self.tree / "Tests" / "System" / f"{name}.py"

    def run(self, suites, environment, limit):
        """Runs suites of one test target, or one system test."""
        names = [suite.name for suite in suites]
        if "." not in names[0]:
            command = [sys.executable, str(self.script(names[0])), "--server", str(self.programs / "drilldown")]
        else:
            command = [*self.library, "--filter", f"^({'|'.join(map(re.escape, names))})/"]
            # Tests of the client library are made to run one after the other.
            command += ["--no-parallel"] if names[0].startswith("DrilldownClientTests.") else []
        return Run(command, self.tree, environment, limit)

    def measure(self, target, suites):
        """Runs each suite without a slip, unless that was done."""
        with self.lock:
            if target in self.measured:
                return
            self.measured.add(target)
            jobs = 1 if target == "DrilldownClientTests" else self.jobs
            with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
                list(pool.map(self.measure_suite, suites))
            slowest = sorted(suites, key=lambda suite: -suite.seconds)[:3]
            print(f"{target}: {len(suites)} suites, {sum(suite.seconds for suite in suites):.0f} s; the slowest are "
                  + ", ".join(f"{suite.name} {suite.seconds:.0f} s" for suite in slowest), flush=True)

    def measure_suite(self, suite):
        log = self.tree.parent / f"reached-{suite.name}"
        for _ in range(3):
            log.unlink(missing_ok=True)
            found = self.run([suite], {"SLIPS_REACHED": str(log)}, 600 if "." in suite.name else 200)
            suite.seconds, suite.failure = found.seconds, found.noticed
            if not found.noticed:
                suite.reached = {int(line) for line in log.read_text().split()} if log.exists() else set()
                break
            print(f"{suite.name} fails without a slip: {found.noticed}", flush=True)
            if found.noticed == TOO_LONG:
                break
            suite.unsteady.add(found.test)
        log.unlink(missing_ok=True)

    def notice(self, module, number):
        """Runs what reaches a slip until something fails; returns what failed, or None, and whether anything reaches the slip."""
        is_reached = False
        for target, suites in self.near(module):
            self.measure(target, suites)
            able = sorted((suite for suite in suites if not suite.failure and number in suite.reached), key=lambda suite: suite.rank)
            is_reached = is_reached or bool(able)
            for part in in_parts(able):
                limit = 20 + 3 * sum(suite.seconds for suite in part)
                found = self.run(part, {"SLIP": str(number)}, limit)
                # A test that also fails without a slip must fail twice.
                if found.noticed and any(found.test in suite.unsteady for suite in part):
                    found = self.run(part, {"SLIP": str(number)}, limit)
                if found.noticed:
                    return f"{target}: {found.noticed}", True
        return None, is_reached


def in_parts(suites):
    """The suites of each process; a system test has its own."""
    limit, part = FIRST, []
    for suite in suites:
        if part and ("." not in suite.name or sum(one.seconds for one in part) + suite.seconds > limit):
            yield part
            limit, part = 4 * limit, []
        part.append(suite)
    if part:
        yield part
