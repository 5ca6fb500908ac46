"""Requests made from the description of the API: each option, header field and body that it names, with extreme values."""

import json
import re
import urllib.parse

from harness.extremes import JSON_NUMBERS, NUMBERS, VALUES, WORDS, altered_cursors

# How a header field has its number; any other field is the number itself.
HEADER_FORMS = {
    "Prefer": ("wait={}", "{}"), "Range": ("bytes={}-", "bytes=0-{}", "bytes=-{}", "bytes={}-{}", "{}"),
    "If-Range": ('"{}"',), "If-Match": ('"{}"', "{}"), "If-None-Match": ('"{}"', 'W/"{}"'),
    "Accept-Encoding": ("gzip;q={}",), "Accept-Language": ("de;q={}",)}
# Fields that a description does not name.
OTHER_FIELDS = ("Accept", "Host", "Connection", "Keep-Alive", "Age", "Max-Forwards", "Content-Range")
OPERATORS = ":!<>~"
# Whoever waits with the current version waits for as long as it says.
WAITS = [value for value in VALUES if not (value.isascii() and value.isdigit() and 2 <= int(value) <= 300)]
LONGEST = 12_000
METHODS = ("get", "put", "post", "patch", "delete")


class Request:
    def __init__(self, target, method="GET", headers=None, body=b""):
        self.target = target
        self.method = method
        self.headers = headers or {}
        self.body = body

    def __str__(self):
        text = f"{self.method} {short(self.target)}"
        if self.headers:
            text += f" {short(str(self.headers))}"
        return text + (f" {short(self.body.decode(errors='replace'))}" if self.body else "")


def short(text):
    return text if len(text) <= 400 else f"{text[:300]}…{text[-60:]} ({len(text)} characters)"


class Operation:
    def __init__(self, description, template, method, operation, shared):
        self.template = template
        self.method = method.upper()
        named = [resolve(description, parameter) for parameter in [*shared, *operation.get("parameters", [])]]
        self.options = {p["name"]: p for p in named if p["in"] == "query"}
        self.headers = [p["name"] for p in named if p["in"] == "header"]
        self.depth = sum(p["in"] == "path" for p in named)
        self.statuses = {int(status) for status in operation["responses"]}


def resolve(description, node):
    while "$ref" in node:
        reference = node["$ref"].split("/")[1:]
        node = description
        for step in reference:
            node = node[step]
    return node


def operations_of(description):
    return [Operation(description, template, method, item[method], item.get("parameters", []))
            for template, item in description["paths"].items() for method in METHODS if method in item]


def quoted(value):
    """A value in a query; percent signs are kept, so that a value can contain any byte."""
    return urllib.parse.quote(value, safe="%:,*~<>!/=&")


def option_values(name, parameter, fields):
    """The extremes of one option, and values that it takes."""
    if name == "wait":
        return WAITS
    if name == "where":
        return [f"{field}{operator}{value}" for field in fields for operator in OPERATORS for value in VALUES] + VALUES
    plain = [str(parameter["example"])] if "example" in parameter else []
    plain += [str(value) for value in parameter["schema"].get("enum", [])]
    if name in ("sort", "group", "fields", "in"):
        plain += list(fields) + [f"-{field}" for field in fields] + [",".join(fields[:5]), ",".join(fields * 30)]
    if name == "at":
        plain += [form + value for form in ("before:", "after:") for value in VALUES]
    return plain + VALUES


class Maker:
    """Makes the requests to one source."""

    def __init__(self, source, operations, token):
        self.source = source
        self.operations = operations
        self.reads = [o for o in operations if o.method == "GET"]
        self.levels = {o.depth: o for o in self.reads if o.template.startswith("/levels/")}
        self.token = token
        # What is learned from answers: the fields of each path, and cursors with their targets.
        self.fields = {path: ["Title", "Key"] for path in source.paths}
        self.nexts = []
        self.made = []
        self.versions = ["AAAAAAAAAAAAAAAAAAAAAA"]
        self.revisions = ["x"]

    def authorized(self, **more):
        return {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"} | more

    def option_operation(self, path):
        return self.levels[min(depth_of(path), max(self.levels))]

    # MARK: All extremes

    def first_pages(self):
        """Requests whose answers say which fields and cursors the paths have."""
        for path in self.source.paths:
            fields = self.fields[path]
            yield from (Request(f"/levels/{path}?{query}") for query in ("limit=100&fields=*", "limit=3", "start=5&limit=3"))
            queries = [f"sort={f}" for f in fields] + [f"sort=-{f}" for f in fields] + [f"group={f}" for f in fields]
            queries += ["group=initial", "q=e", "q=1&in=*", "depth=all", "depth=2", f"where={fields[-1]}!x"]
            queries += [f"group={f}&sort=-{fields[-1]}" for f in fields[:4]]
            yield from (Request(f"/levels/{path}?{quoted(query)}&limit=3") for query in queries)

    def edge_pages(self, starts=NUMBERS, limits=("1", "1000", "10000")):
        """Pages that begin and end at the ends of numbers, in each order."""
        for path in self.source.paths:
            orders = [""] + [f"&sort={sign}{f}" for f in self.fields[path] for sign in ("", "-")]
            orders += [f"&group={f}" for f in ["initial", *self.fields[path]]] + ["&q=e", "&depth=all", "&sections=page"]
            for order in orders:
                for start in starts:
                    for limit in limits:
                        yield Request(f"/levels/{path}?start={quoted(start)}&limit={limit}{quoted(order)}")

    def cursors(self, ends=WORDS):
        for target, cursor in list(self.nexts):
            for other in altered_cursors(cursor, ends=ends):
                yield Request(f"{target}&after={other}")

    def options(self):
        """Each option of each operation that reads, with each value."""
        for operation in self.reads:
            for path in self.paths_for(operation):
                target = filled(operation.template, path)
                for name, parameter in operation.options.items():
                    for value in option_values(name, parameter, self.fields.get(path, ["Title"])):
                        extra = "&q=e" if name == "in" else ""
                        yield Request(f"{target}?{name}={quoted(value)}{extra}")

    def paths(self):
        """Keys that are extreme, at each depth."""
        for operation in self.operations:
            if "{" in operation.template:
                for path in self.paths_for(operation):
                    keys = path.split("/") if path else ["x"]
                    for value in VALUES:
                        target = filled(operation.template, "/".join([*keys[:-1], quoted(value)]))
                        edits = operation.method != "GET"
                        yield Request(target, operation.method, self.authorized() if edits else {},
                                      b"{}" if edits and operation.method != "DELETE" else b"")

    def headers(self):
        for operation in self.reads:
            target = filled(operation.template, self.paths_for(operation)[-1])
            for name in [*operation.headers, *OTHER_FIELDS]:
                if name == "Prefer" and operation.template == "/changes":
                    continue
                for form in HEADER_FORMS.get(name, ("{}",)):
                    for value in VALUES:
                        text = form.replace("{}", urllib.parse.unquote(value, errors="replace"))
                        text = text.encode().decode("latin-1")
                        if len(text) <= LONGEST:
                            yield Request(target, headers={name: text})

    def edits(self):
        """Edits with extreme places, numbers in items, and conditions."""
        if not self.source.is_editable:
            return
        for path in self.source.paths[:6]:
            level = f"/levels/{path}"
            operation = next(o for o in self.operations if o.method == "POST" and o.template == "/levels/")
            for name, parameter in operation.options.items():
                for value in option_values(name, parameter, ()):
                    yield Request(f"{level}?{name}={quoted(value)}", "POST", self.authorized(), b'"extreme"')
            for number in JSON_NUMBERS:
                yield from self.bodies(path, number)
            for value in NUMBERS:
                condition = value.encode().decode("latin-1")
                yield Request(level, "POST", self.authorized(**{"If-Match": f'"{condition}"'}), b'"extreme"')

    def bodies(self, path, number):
        detail, level = f"/detail/{path}", f"/levels/{path}"
        headers = self.authorized()
        item = self.made[-1] if self.made else detail
        for body in (f'{{"Title": "extreme", "N": {number}}}', f'{{"Title": {number}}}', f'{{"Key": {number}, "Title": "e"}}',
                     f'{{"Title": "extreme", "Children": [{number}]}}', number):
            yield Request(level, "POST", headers, body.encode())
        yield Request(detail, "PATCH", headers, f'{{"Value": {number}}}'.encode())
        yield Request(detail, "PATCH", headers, f'{{"N": {number}}}'.encode())
        yield Request(item, "PUT", headers, f'{{"Title": "put", "N": {number}}}'.encode())
        for place in (f'"at": {number}', f'"section": {number}', f'"at": "{number}", "section": 0'.replace('""', '"')):
            move = f'{{"from": {json.dumps(item)}, "to": {json.dumps(level)}, {place}}}'
            yield Request("/moves", "POST", headers, move.encode())
            for step in (f'{{"insert": "extreme", "to": {json.dumps(level)}, {place}}}',
                         f'{{"move": {json.dumps(item)}, "to": {json.dumps(level)}, {place}}}'):
                yield Request("/edits", "POST", headers, f'{{"edits": [{step}]}}'.encode())
        yield Request("/edits", "POST", headers, f'{{"edits": [{number}]}}'.encode())
        yield Request("/edits", "POST", headers, f'{{"edits": {number}}}'.encode())

    def paths_for(self, operation):
        if operation.template.startswith(("/levels", "/detail", "/document", "/browse")):
            return [path for path in self.source.paths if depth_of(path) == operation.depth] or ["/".join("x" * operation.depth)]
        return ["harbour.svg" if "file" in operation.template else "conflict"]

    # MARK: Random

    def random(self, source):
        """One request; `source` is a `random.Random`."""
        draw = source.random()
        if draw < 0.3 and self.nexts:
            return self.next_page(source)
        if draw < 0.42 and self.source.is_editable:
            return self.random_edit(source)
        path = source.choice(self.source.paths)
        if draw < 0.9:
            operation, target = self.option_operation(path), f"/levels/{path}"
        else:
            operation = source.choice(self.reads)
            path = source.choice(self.paths_for(operation))
            target = filled(operation.template, path)
        names = source.sample(sorted(operation.options), min(len(operation.options), source.choice((0, 1, 1, 2, 2, 3, 4))))
        query = "&".join(f"{name}={quoted(self.value(source, operation, name, path))}" for name in names)
        # The library itself refuses what is beyond its memory, in HTML.
        query = query[:LONGEST]
        headers = {}
        if operation.headers and operation.template != "/changes" and source.random() < 0.1:
            name = source.choice(operation.headers)
            form = source.choice(HEADER_FORMS.get(name, ("{}",)))
            headers[name] = form.replace("{}", source.choice(NUMBERS)).encode().decode("latin-1")
        return Request(target + (f"?{query}" if query else ""), headers=headers)

    def value(self, source, operation, name, path):
        fields = self.fields.get(path, ["Title"])
        draw = source.random()
        if name == "since":
            return source.choice(self.versions) if draw < 0.7 and "levels" in operation.template else source.choice(VALUES)
        if name == "where":
            number = str(source.randrange(2_000)) if draw < 0.4 else source.choice(VALUES)
            return source.choice(fields) + source.choice(OPERATORS) + number
        if name in ("sort", "group", "in", "fields") and draw < 0.8:
            return source.choice(("", "-")[:1 + (name == "sort")]) + source.choice(fields)
        if name in ("start", "limit", "depth") and draw < 0.5:
            return str(source.randrange(1, 1 << source.randrange(1, 66)))
        if name == "revision":
            return source.choice(("", "x", source.choice(VALUES)))
        return source.choice(option_values(name, operation.options[name], fields[:1]))

    def next_page(self, source):
        target, cursor = source.choice(self.nexts)
        if source.random() < 0.8:
            cursor = source.choice(altered_cursors(cursor, source.choice) or [cursor])
        if source.random() < 0.2:
            option = source.choice(("limit", "sort", "group", "where", "fields", "depth", "sections"))
            path = source.choice(self.source.paths)
            operation = self.option_operation(path)
            target += f"&{option}={quoted(self.value(source, operation, option, path))}"
        if source.random() < 0.5:
            target = re.sub("limit=[0-9]+", f"limit={source.choice((1, 2, 50, 10_000))}", target)
        return Request(f"{target}&after={cursor}")

    def random_edit(self, source):
        path = source.choice(self.source.paths[:6])
        if self.made and source.random() < 0.25:
            return Request(self.made.pop(source.randrange(len(self.made))), "DELETE", self.authorized())
        if source.random() < 0.5:
            operation = next(o for o in self.operations if o.method == "POST" and o.template == "/levels/")
            names = source.sample(sorted(operation.options), source.randrange(3))
            query = "&".join(
                f"{name}={quoted(source.choice(('first', 'last', '0', '1', '2', '3', *NUMBERS)))}" for name in names)
            body = f'{{"Title": "made {source.randrange(100)}", "N": {source.choice(JSON_NUMBERS)}}}'
            return Request(f"/levels/{path}?{query}", "POST", self.authorized(), body.encode())
        return source.choice(list(self.bodies(path, source.choice(JSON_NUMBERS))))


def depth_of(path):
    return path.count("/") + 1 if path else 0


def filled(template, path):
    """A path with keys in the places of its template."""
    keys = iter(path.split("/"))
    return re.sub(r"\{[^}]+\}", lambda _: next(keys, "x"), template)
