"""Clients that generators make of the description, and what each of them is to do: drill down, edit, read a refusal."""

import importlib
import json
import os
import re
import shutil
import subprocess
import sys

from harness.client import get

HARNESS = os.path.dirname(os.path.abspath(__file__))

# A file of any type is bytes.
OVERRIDES = """content_type_overrides:
  "*/*": application/octet-stream
"""
# openapi-generator says the first two of every description in OpenAPI 3.1, and the others of words of a language.
SAID_OF_ALL = ("OpenAPI 3.1 support is still in beta", "Failed to get the schema name: null", "(reserved word) cannot be used as",
               "(model name matches existing language type)")
DEEPEST = ["Item 4", "Screen G", "Screen H", "Screen I", "Screen J"]


class PythonClient:
    """The client that openapi-python-client makes."""

    name = "openapi-python-client"
    package = "drilldown_client"

    @classmethod
    def make(cls, verdict, environment, folder, path):
        configuration = os.path.join(folder, "overrides.yaml")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(OVERRIDES)
        result = environment.run(
            "openapi-python-client", "generate", "--path", path, "--output-path", os.path.join(folder, cls.package),
            "--meta", "none", "--config", configuration, timeout=120)
        said = [line for line in result.stdout.splitlines() if line and not line.startswith("Generating ")]
        verdict.expect(result.returncode == 0 and not said, f"{cls.name} makes a client without a warning: {said}")

    def __init__(self, port, token):
        self.client = importlib.import_module(self.package).AuthenticatedClient(
            base_url=f"http://127.0.0.1:{port}", token=token, raise_on_unexpected_status=True)

    def call(self, tag, operation, keys=(), **parameters):
        suffix = f"_{len(keys)}" if keys else ""
        module = importlib.import_module(f"{self.package}.api.{tag}.{operation}{suffix}")
        keys = {f"key{number}": key for number, key in enumerate(keys, 1)}
        return module.sync(client=self.client, **keys, **parameters)

    def model(self, name):
        return getattr(importlib.import_module(f"{self.package}.models"), name)

    def level(self, keys, **options):
        return self.call("levels", "get_level", keys, **options)

    def detail(self, keys):
        return self.call("detail", "get_detail", keys)

    def patch(self, keys, changes, version):
        return self.call("detail", "patch_item", keys, body=self.model("MergePatch").from_dict(changes), if_match=f'"{version}"')

    def edit(self, href, changes):
        step = self.model("PatchStep")(patch=self.model("MergePatch").from_dict(changes), of=href)
        return self.call("edits", "do_edits", body=self.model("EditSteps")(edits=[step]))

    def problem(self, call, *arguments):
        return call(*arguments)

    def fields(self, detail):
        return detail.fields.to_dict()


def generate(verdict, environment, path, language, target, *settings):
    """Makes a client with openapi-generator, which runs on Java; it has a model for each schema, named after it."""
    properties = ("disallowAdditionalPropertiesIfNotPresent=false",) + settings
    result = environment.run(
        "openapi-generator-cli", "generate", "--input-spec", path, "--generator-name", language, "--output", target,
        "--additional-properties", ",".join(properties), timeout=300)
    said = [line for line in re.findall(r"^.*(?:WARN|ERROR).*$", result.stdout, re.MULTILINE)
            if not any(sentence in line for sentence in SAID_OF_ALL)]
    verdict.expect(
        result.returncode == 0 and not said, f"openapi-generator makes a {language} client: {result.returncode} {said}")
    made = [name for _, _, files in os.walk(target) for name in files]
    unnamed = [name for name in made if re.search(r"inline|inner|one_?of|any_?of", name, re.IGNORECASE)]
    verdict.expect(not unnamed, f"each model of the {language} client is named after its schema: {unnamed}")


class OpenAPIGeneratorClient:
    """The client for Python that openapi-generator makes."""

    name = "openapi-generator"
    package = "drilldown_api"

    @classmethod
    def make(cls, verdict, environment, folder, path):
        target = os.path.join(folder, "made-by-openapi-generator")
        generate(verdict, environment, path, "python", target, f"packageName={cls.package}")
        sys.path.insert(0, target)

    def __init__(self, port, token):
        self.module = importlib.import_module(self.package)
        configuration = self.module.Configuration(host=f"http://127.0.0.1:{port}", access_token=token)
        self.client = self.module.ApiClient(configuration)

    def call(self, tag, operation, keys=(), *arguments, **parameters):
        suffix = len(keys) or ""
        return getattr(getattr(self.module, f"{tag}Api")(self.client), f"{operation}{suffix}")(*keys, *arguments, **parameters)

    def level(self, keys, **options):
        return self.call("Levels", "get_level", keys, **options)

    def detail(self, keys):
        return self.call("Detail", "get_detail", keys)

    def patch(self, keys, changes, version):
        return self.call("Detail", "patch_item", keys, changes, if_match=f'"{version}"')

    def edit(self, href, changes):
        step = self.module.EditStep(self.module.PatchStep(patch=changes, of=href))
        return self.call("Edits", "do_edits", (), self.module.EditSteps(edits=[step]))

    def problem(self, call, *arguments):
        try:
            return call(*arguments)
        except self.module.ApiException as error:
            return error.data

    def fields(self, detail):
        return detail.fields


class TypeScriptProgram:
    """A program with the client for TypeScript, generator typescript-fetch."""

    name = "typescript-fetch"

    @staticmethod
    def make(verdict, environment, folder, path):
        generate(verdict, environment, path, "typescript-fetch", os.path.join(folder, "client"))
        shutil.copy(os.path.join(HARNESS, "generated_client.ts"), os.path.join(folder, "main.ts"))
        # The compiler of Debian 12 does not yet know that a value has a member for which the client has looked.
        built(verdict, folder, "tsc", "--strict", "--suppressImplicitAnyIndexErrors", "--target", "es2020",
              "--module", "commonjs", "--lib", "es2020,dom", "main.ts")
        return ["node", os.path.join(folder, "main.js")]


class GoProgram:
    """A program with the client for Go."""

    name = "go"

    @staticmethod
    def make(verdict, environment, folder, path):
        generate(verdict, environment, path, "go", os.path.join(folder, "src", "drilldown"), "packageName=drilldown")
        shutil.copy(os.path.join(HARNESS, "generated_client.go"), os.path.join(folder, "main.go"))
        # Without modules: what the client imports is a package of Debian.
        built(verdict, folder, "go", "build", "-o", "main", "main.go", GO111MODULE="off", CGO_ENABLED="0",
              GOPATH=f"{folder}:/usr/share/gocode", GOCACHE=os.path.join(folder, "cache"))
        return [os.path.join(folder, "main")]


class SwiftProgram:
    """A program with the client for Swift, generator swift6, in Swift 6."""

    name = "swift6"

    @staticmethod
    def make(verdict, environment, folder, path):
        target = os.path.join(folder, "client")
        generate(verdict, environment, path, "swift6", target, "projectName=Drilldown,useSPMFileStructure=true")
        shutil.copy(os.path.join(HARNESS, "generated_client.swift"), os.path.join(folder, "main.swift"))
        files = [os.path.join(place, name) for place, _, names in os.walk(os.path.join(target, "Sources"))
                 for name in names if name.endswith(".swift")]
        built(verdict, folder, "swiftc", "-swift-version", "6", "-o", "main", "main.swift", *sorted(files))
        return [os.path.join(folder, "main")]


def built(verdict, folder, *command, **variables):
    result = subprocess.run(
        command, cwd=folder, env=os.environ | variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=300)
    verdict.expect(result.returncode == 0, f"{command[0]} compiles the client: {result.stdout[-2000:]}")


def use_program(verdict, name, program, port, token):
    """Runs a program that reads a level, a detail, a page and a delta, does each kind of edit, and is refused two."""
    result = subprocess.run(
        [*program, f"http://127.0.0.1:{port}", token, name], capture_output=True, text=True, timeout=60)
    if not verdict.expect(result.returncode == 0, f"{name}: the program ends without an error: {result.stderr[-2000:]}"):
        return
    next_page = get(port, "/levels/?limit=1").json()["next"]
    expected = {
        "page": [["Item 1"], next_page], "level": ["Screen G", True, None], "detail": ["Screen G", "Screen G", 1],
        "edit": [name, 412, True], "delta": [None, [name], []],
        "edits": [2, 3, "/detail/Leaf", "", "/detail/Item%204/Screen%20G"],
        "missing": ["/problems/no-such-item", 404, "/levels/"], "kinds": [404, True]}
    given = json.loads(result.stdout)
    for step, values in expected.items():
        verdict.expect(given.get(step) == values, f"{name}: {step}: {given.get(step)}, expected {values}")


def drill_down(verdict, client, port):
    """Goes from the root to the deepest leaf, level by level, edits it, and asks for what there is not."""
    name, keys, row = client.name, [], None
    while row is None or not row.leaf:
        row = client.level(keys).rows[-1]
        keys.append(row.key)
    verdict.expect(keys == DEEPEST, f"{name}: the client drills down to the deepest leaf: {keys}")
    page = client.level([], limit=1)
    verdict.expect(len(page.rows) == 1 and page.count > 1, f"{name}: the client reads a page: {page}")
    level = client.level(keys[:-1], fields="*")
    detail = client.detail(keys)
    shown = get(port, row.href).json()
    verdict.expect(
        client.fields(detail) == shown["fields"] and detail.leaf and detail.position.of == 1,
        f"{name}: the client reads its detail: {detail}")
    verdict.expect(detail.ancestors[-1].title == "Screen I", f"{name}: the client reads the items above: {detail.ancestors}")
    changed = client.patch(keys, {"Subtitle": name}, detail.fields_version)
    verdict.expect(client.fields(changed)["Subtitle"] == name, f"{name}: the client edits the leaf: {changed}")
    conflict = client.problem(client.patch, keys, {"Subtitle": "late"}, detail.fields_version)
    verdict.expect(
        conflict.status == 412 and conflict.current_fields == changed.fields_version,
        f"{name}: an edit that comes late is a conflict: {conflict}")
    delta = client.level(keys[:-1], fields="*", since=level.version)
    verdict.expect(
        [placed.row.key for placed in delta.updated] == [keys[-1]] and not delta.rows and delta.removed == [],
        f"{name}: the client reads what changed: {delta}")
    # At any depth: the rows of an outline, and edits by links.
    opened = "/".join(key.replace(" ", "%20") for key in keys[:-1])
    deepest = client.level([], expand=opened, fields="*").rows[-1]
    verdict.expect(
        (deepest.key, deepest.indent) == (keys[-1], 4), f"{name}: an outline from the root has the leaf: {deepest}")
    edits = client.edit("/detail/" + opened + "/Screen%20J", {"Subtitle": None})
    verdict.expect(edits.edits[0].href.endswith("/Screen%20J"), f"{name}: the client edits by a link: {edits}")
    verdict.expect("Subtitle" not in client.fields(client.detail(keys)), f"{name}: the field is gone")
    missing = client.problem(client.detail, ["Nothing"])
    found = getattr(missing, "type_", None) or missing.type
    verdict.expect(
        found == "/problems/no-such-item" and missing.status == 404 and missing.nearest == "/levels/",
        f"{name}: the client reads a problem: {missing}")
