"""What a client keeps of the whole tree: a body for each level and each detail, renewed by what /changes names."""

import json


def crawl(connection):
    """The bodies of all levels and details, by their links."""
    bodies = {}
    waiting = ["/levels/"]
    while waiting:
        link = waiting.pop()
        level = _keep(connection, link, bodies)
        if level is None:
            continue
        _keep(connection, level["detail"], bodies)
        # A leaf's row leads to its detail; its level exists too, and is empty.
        waiting += [row["href"].replace("/detail/", "/levels/", 1) for row in level["rows"]]
    return bodies


def _keep(connection, link, bodies):
    answer = connection.get(link)
    if answer.status == 404:
        # Deleted since its level was read, or a row of another moment.
        return None
    if answer.status != 200:
        raise RuntimeError(f"{link} is answered {answer.status}: {answer.body[:200]}")
    bodies[link] = answer.body
    return json.loads(answer.body)


PLACE = ("version", "position", "previous", "next", "follow")


def contents(bodies):
    """The same bodies, of details without what follows from the level above."""
    return {link: body if link.startswith("/levels/") else _content(body) for link, body in bodies.items()}


def _content(body):
    return {name: value for name, value in json.loads(body).items() if name not in PLACE}


class Mirror:
    """A client that fetches everything once, and then only what /changes names, with the details of a named level's rows."""

    def __init__(self, connection):
        self.connection = connection
        self.bodies = crawl(connection)
        self.fetched = 0

    def apply(self, entry):
        """Renews what an entry of /changes names."""
        if entry.get("truncated"):
            self.renew()
            return
        for link in self._named(entry):
            answer = self.connection.get(link)
            self.fetched += 1
            if answer.status == 404:
                self.bodies.pop(link, None)
            elif answer.status == 200:
                self.bodies[link] = answer.body
            else:
                raise RuntimeError(f"{link} is answered {answer.status}: {answer.body[:200]}")

    def _named(self, entry):
        """The links to fetch: the place of an item follows from the level above it."""
        above = {link.rstrip("/").replace("/levels", "/detail", 1) for link in entry["levels"]}
        rows = [link for link in self.bodies if link.startswith("/detail/") and link.rpartition("/")[0] in above]
        return dict.fromkeys(entry["levels"] + entry["details"] + rows)

    def renew(self):
        self.bodies = crawl(self.connection)


def differences(before, after):
    """The links whose bodies differ, came or went."""
    return {link for link in before.keys() | after.keys() if before.get(link) != after.get(link)}


def applied(delta, copy):
    """The level that a `?since=` answer makes of the client's copy, in the plainest way."""
    level = dict(delta)
    if "rows" in level:
        return level
    moved = {move["key"] for move in delta["moved"]}
    known = {row["key"]: row for row in copy["rows"]}
    gone = moved.union(delta["removed"])
    rows = [row for row in copy["rows"] if row["key"] not in gone]
    coming = [(change["at"], change["row"]) for change in delta["inserted"]]
    coming += [(move["at"], known[move["key"]]) for move in delta["moved"]]
    for at, row in sorted(coming, key=lambda pair: pair[0]):
        rows.insert(at, row)
    for update in delta["updated"]:
        rows[update["at"]] = update["row"]
    for member in ("since", "removed", "inserted", "moved", "updated"):
        level.pop(member)
    level["rows"] = rows
    return level
