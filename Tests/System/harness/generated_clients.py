"""Clients that generators make of the description, and what each of them is to do: drill down, edit, read a refusal."""

import importlib
import os
import re
import sys

from harness.client import get

# A file of any type is bytes.
OVERRIDES = """content_type_overrides:
  "*/*": application/octet-stream
"""
# openapi-generator says the first two of every description in OpenAPI 3.1. 'in' is a query option, and a word of Python.
SAID_OF_ALL = ("OpenAPI 3.1 support is still in beta", "Failed to get the schema name: null",
               "In (reserved word) cannot be used as model name")
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


class OpenAPIGeneratorClient:
    """The client for Python that openapi-generator makes; the generator runs on Java."""

    name = "openapi-generator"
    package = "drilldown_api"

    @classmethod
    def make(cls, verdict, environment, folder, path):
        target = os.path.join(folder, "made-by-openapi-generator")
        result = environment.run(
            "openapi-generator-cli", "generate", "--input-spec", path, "--generator-name", "python", "--output", target,
            "--additional-properties", f"packageName={cls.package}", timeout=300)
        said = [line for line in re.findall(r"^.*(?:WARN|ERROR).*$", result.stdout, re.MULTILINE)
                if not any(sentence in line for sentence in SAID_OF_ALL)]
        verdict.expect(
            result.returncode == 0 and not said, f"{cls.name} makes a client without a warning: {result.returncode} {said}")
        models = os.listdir(os.path.join(target, cls.package, "models"))
        unnamed = [name for name in models if re.search(r"inline|inner|one_of|any_of", name)]
        verdict.expect(not unnamed, f"{cls.name} names every model after its schema: {unnamed}")
        sys.path.insert(0, target)

    def __init__(self, port, token):
        self.module = importlib.import_module(self.package)
        configuration = self.module.Configuration(host=f"http://127.0.0.1:{port}", access_token=token)
        self.client = self.module.ApiClient(configuration)

    def call(self, tag, operation, keys=(), *arguments, **parameters):
        suffix = len(keys) or ""
        return getattr(getattr(self.module, f"{tag}Api")(self.client), f"{operation}{suffix}")(*keys, *arguments, **parameters)

    def level(self, keys, **options):
        return self.call("Levels", "get_level", keys, **options).actual_instance

    def detail(self, keys):
        return self.call("Detail", "get_detail", keys)

    def patch(self, keys, changes, version):
        return self.call("Detail", "patch_item", keys, changes, if_match=f'"{version}"').actual_instance

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


def drill_down(verdict, client, port):
    """Goes from the root to the deepest leaf, level by level, edits it, and asks for what there is not."""
    name, keys, row = client.name, [], None
    while row is None or not row.leaf:
        row = client.level(keys).rows[-1]
        keys.append(row.key)
    verdict.expect(keys == DEEPEST, f"{name}: the client drills down to the deepest leaf: {keys}")
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
