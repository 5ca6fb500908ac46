"""What a description (OpenAPI) says of an answer, and whether the answer keeps to it."""

import json
import re

import jsonschema

# What HTTP itself and the server add to every answer.
UNDESCRIBED = {"date", "content-length", "content-type", "connection", "transfer-encoding"}


class Described:
    """A description, read strictly: an object of an answer has no member that its schema does not name."""

    def __init__(self, document):
        self.document = closed(document)
        self.paths = [
            (re.compile(re.sub(r"\{[^}]+\}", "[^/]+", re.escape(path).replace(r"\{", "{").replace(r"\}", "}"))), path)
            for path in document["paths"]]
        self.seen = set()

    def faults(self, method, target, answer):
        """What the answer to a request has that the description lacks, and the other way round, in words."""
        template = self.template(target)
        line = f"{method} {target} ({answer.status})"
        item = self.document["paths"].get(template, {})
        operation = item.get("get" if method == "HEAD" else method.lower())
        if operation is None:
            return [f"{line} has no operation"]
        response = self.resolve(operation["responses"].get(str(answer.status)))
        if response is None:
            return [f"{line} has a status that is not described"]
        self.seen.add((operation["operationId"], answer.status))
        faults = [f"{line} {fault}" for fault in self.header_faults(response, answer)]
        if answer.body:
            faults += [f"{line} {fault}" for fault in self.body_faults(response, answer)]
        return faults

    def template(self, target):
        path = target.partition("?")[0]
        return next((template for pattern, template in self.paths if pattern.fullmatch(path)), None)

    def header_faults(self, response, answer):
        named = {name.lower(): self.resolve(header) for name, header in response.get("headers", {}).items()}
        faults = [f"has the undescribed field {name}" for name in set(answer.headers) - set(named) - UNDESCRIBED]
        faults += [
            f"lacks the field {name}" for name, header in named.items()
            if header.get("required") and name not in answer.headers]
        return faults

    def body_faults(self, response, answer):
        contents = response.get("content", {})
        kind = answer["content-type"]
        content = contents.get(kind) or contents.get(kind.partition(";")[0]) or contents.get("*/*")
        if content is None:
            return [f"has the undescribed type {kind}"]
        if not kind.endswith("json") or not content["schema"]:
            return []
        schema = content["schema"] | {"components": self.document["components"]}
        validator = jsonschema.Draft202012Validator(schema)
        body = json.loads(answer.body)
        faults = [f"breaks its schema: {error.message[:300]}" for error in validator.iter_errors(body)]
        if "x-problems" in response and body.get("type") not in response["x-problems"]:
            faults.append(f"has the undescribed problem {body.get('type')}")
        return faults

    def resolve(self, node):
        while node and "$ref" in node and "content" not in node:
            reference = node["$ref"]
            node = self.document
            for step in reference.split("/")[1:]:
                node = node[step]
        return node


def closed(node):
    """The same with each object schema that lists its members closed for others."""
    if isinstance(node, list):
        return [closed(element) for element in node]
    if not isinstance(node, dict):
        return node
    result = {name: closed(value) for name, value in node.items()}
    if result.get("type") in ("object", ["object", "null"]) and isinstance(result.get("properties"), dict):
        result.setdefault("additionalProperties", False)
    return result
