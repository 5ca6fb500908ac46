"""What each edit makes of a tree of items (manual, Editing): a new tree, or a refusal and nothing.

A step is one of POST /edits: `{"insert": item, "to": level}`, `{"put": fields, "of": detail}`, `{"patch": …}`,
`{"move": detail, "to": level}`, `{"delete": detail}`.
"""

from harness.items import Item, item, natural_key, path_of


class Refused(Exception):
    """A step that cannot be done; the status of its problem."""

    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


def are_alike(status, other):
    """Whether two statuses refuse alike: a place that is not there is answered 400 in a query, else 422 or 409."""
    return status == other or {status, other} <= {400, 409, 422}


def done(root, steps, conditional=None):
    """The tree after all steps; `conditional`: whether the first step names the tag of its item, None if each does."""
    before = root
    for number, step in enumerate(steps):
        if conditional is not None and not (conditional and number == 0):
            check_condition(before, root, step)
        root = KINDS[next(iter(step))](root, step)
    return root


def check_condition(before, root, step):
    """A step without its item's tag must not name an item that shared its natural key with a sibling at first."""
    link = step.get("of") or step.get("delete") or step.get("move")
    path = path_of(link) if link else ()
    if not path or root.at(path) is None or before.at(path) is None:
        return
    level = before.at(path[:-1])
    keys = [natural_key(row.fields) for row in level.rows]
    if keys.count(keys[level.keys.index(path[-1])]) > 1:
        raise Refused(428, f"a sibling has the key of {path}")


def found(root, path):
    at = root.at(path)
    if at is None:
        raise Refused(404, f"there is no {path}")
    return at


def insert(root, step):
    path = path_of(step["to"])
    owner = found(root, path)
    return root.replacing(root.numbers(path), [with_row(owner, item(step["insert"]), step)])


def put(root, step):
    path, fields = path_of(step["of"]), item(step["put"]).fields
    old = root.at(path)
    if old is None:
        above = found(root, path[:-1])
        return root.replacing(root.numbers(path[:-1]), [with_new(above, path[-1], fields)])
    if "Key" in old.fields:
        fields = {"Key": old.fields["Key"]} | fields
    return with_own_key(root, path, Item(fields, old.sections))


def with_new(above, key, fields):
    """The level with an item that has a key, which it is given if its title leads to another one."""
    made = with_row(above, Item(fields), {})
    if made.keys[-1] == key:
        return made
    return with_row(above, Item(fields | {"Key": key}), {})


def patch(root, step):
    path = path_of(step["of"])
    old = found(root, path)
    fields = merged(old.fields, step["patch"])
    if "Title" not in fields:
        raise Refused(422, "an item has a title")
    return with_own_key(root, path, Item(fields, old.sections))


def merged(old, changes):
    """RFC 7396."""
    if not isinstance(changes, dict):
        return changes
    result = dict(old) if isinstance(old, dict) else {}
    for name, change in changes.items():
        if change is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), change)
    return result


def delete(root, step):
    path = path_of(step["delete"])
    if not path:
        raise Refused(409, "the root stays")
    found(root, path)
    return root.replacing(root.numbers(path), [])


def move(root, step):
    source, target = path_of(step["move"]), path_of(step["to"])
    moved, owner = found(root, source), found(root, target)
    if target[:len(source)] == source:
        raise Refused(409, "an item does not move below itself")
    place, owner_place = root.numbers(source), root.numbers(target)
    if target == source[:-1]:
        return root.replacing(owner_place, [with_row(owner, moved, step, without=source[-1])])
    root = root.replacing(place, [])
    level = len(place) - 1
    # The way to the target may lead through a later row of the level that the item has left.
    if owner_place[:level] == place[:level] and len(owner_place) > level and owner_place[level] > place[level]:
        owner_place[level] -= 1
    return root.replacing(owner_place, [with_row(root.numbered(owner_place), moved, step)])


def with_own_key(root, path, new):
    """The tree with an item in place of the one at a path, if no sibling has its `Key`."""
    if path and "Key" in new.fields:
        above = root.at(path[:-1])
        check_key(new.fields["Key"], [row for key, row in zip(above.keys, above.rows) if key != path[-1]])
    return root.replacing(root.numbers(path), [new])


def check_key(key, siblings):
    if any(row.fields.get("Key") == key for row in siblings):
        raise Refused(409, f"a sibling has the key {key}")


def with_row(owner, row, step, without=None):
    """The item with one more row, in the place that a step names; one that moves on its level is not counted."""
    if without is not None:
        moved_from = owner.place(without)
    if "Key" in row.fields:
        check_key(row.fields["Key"], [
            other for key, other in zip(owner.keys, owner.rows) if key != without])
    section, number = place(owner, step, without)
    rows = list(owner.sections[section][1]) if owner.sections else []
    if without is not None:
        owner = taken(owner, *moved_from)
        rows = list(owner.sections[section][1]) if owner.sections else []
    rows.insert(number, row)
    return owner.with_rows(section, rows)


def taken(owner, section, number):
    rows = owner.sections[section][1]
    # Made by hand: an only row that moves leaves its section for a moment.
    sections = list(owner.sections)
    sections[section] = (sections[section][0], (*rows[:number], *rows[number + 1:]))
    return Item(owner.fields, sections)


def place(owner, step, without):
    """The section and the number in it, once `without` is taken out."""
    at, section = step.get("at", "last"), step.get("section")
    if section is not None and not 0 <= section < max(1, len(owner.sections)):
        raise Refused(422, f"there is no section {section}")
    out = owner.place(without) if without is not None else None
    if isinstance(at, str) and ":" in at:
        side, _, key = at.partition(":")
        if key == without or key not in owner.keys:
            raise Refused(409, f"there is no row {key}")
        where, number = owner.place(key)
        if section not in (None, where):
            raise Refused(409, f"the row {key} is in another section")
        return where, number + (side == "after") - (out is not None and out[0] == where and out[1] < number)
    if section is None:
        section = max(0, len(owner.sections) - 1)
    count = len(owner.sections[section][1]) if owner.sections else 0
    count -= out is not None and out[0] == section
    number = {"first": 0, "last": count}.get(at, at)
    if not 0 <= number <= count:
        raise Refused(422, f"there are {count} rows")
    return section, number


KINDS = {"insert": insert, "put": put, "patch": patch, "move": move, "delete": delete}
