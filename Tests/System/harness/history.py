"""The history of a document, put together from what /changes told and what each client was told, and held to account.

Each entry of /changes is matched with the edit or the outside save behind it, and its state is computed. Then every
acknowledged edit must have its entry, every refusal a state that justifies it, and every read a state that existed
between its request and its answer.
"""

import bisect
import collections
import time

from harness.item_edits import Refused, are_alike, done
from harness.items import answered_detail, content, detail, level, link_of, path_of, short_values

ALL_FIELDS = "?fields=*"
# Of how many entries the links of one are checked, which takes long.
SAMPLED = 10
OUTSIDE = "Outside"
SLOTS = 64


class Save:
    """A save by someone else: its number, the tree that was saved, and when it began and was seen to be served.

    One that is not certain was written into a file that had just been replaced: it may have been read before, or not.
    """

    def __init__(self, number, root):
        self.number = number
        self.root = root
        self.is_certain = True
        self.sent = time.monotonic_ns()
        # Never, until it is known.
        self.answered = 1 << 63


def slot(number):
    """The title of the item whose field names the save."""
    return f"Slot {number % SLOTS}"


class History:
    """States of a document from the first on; state n is the one after n entries of /changes."""

    def __init__(self, first, entries, requests, saves):
        self.states = [first]
        self.entries = entries
        self.requests = requests
        self.faults = []
        # The request or save behind each entry.
        self.causes = []
        self._edits = collections.defaultdict(collections.deque)
        for request in requests:
            if request.steps and request.is_done:
                self._edits[f"edit {request.author}"].append(request)
        self._saves = collections.deque(saves)
        self.replay()
        self.order()

    def fault(self, sentence):
        self.faults.append(sentence)

    # The states

    def replay(self):
        for entry in self.entries:
            cause, state = self.edited(entry) if entry["by"].startswith("edit") else self.reloaded(entry)
            if state is None:
                # What comes after cannot be known.
                break
            if len(self.states) % SAMPLED == 0:
                self.check_links(entry, state)
            self.causes.append(cause)
            self.states.append(state)
        else:
            for request in (request for edits in self._edits.values() for request in edits):
                self.fault(f"acknowledged, but /changes has no entry for it: {request}")
            self.skip(len(self._saves))

    def check_links(self, entry, state):
        """An entry names each level that shows something else now, and each detail that does in more than its place."""
        before = self.states[-1]
        for kind, shown_of in (("levels", level_unasked), ("details", content)):
            named = set(entry[kind])
            for path, _ in state.walk():
                link = link_of(kind.removesuffix("s") if kind == "details" else kind, path)
                if link not in named and shown_of(state, path) != shown_of(before, path):
                    self.fault(f"{entry['revision']} does not name {link}, which changed: {entry}")

    def edited(self, entry):
        """The edit behind an entry: the clients' next one, since each sends one after the other."""
        edits = self._edits[entry["by"]]
        if not edits:
            self.fault(f"/changes has an edit that was not acknowledged: {entry}")
            return None, None
        request = edits.popleft()
        try:
            state = done(self.states[-1], request.steps, request.condition is not None)
        except (Refused, KeyError, IndexError, AttributeError) as error:
            self.fault(f"{entry['revision']}: acknowledged, but it cannot be done there ({error!r}): {request}")
            return None, None
        self.check_edit(entry, request, state)
        return request, state

    def reloaded(self, entry):
        """The outside save behind an entry, told by the item that it changed."""
        named = set(entry["details"])
        for number, save in enumerate(self._saves):
            if link_of("detail", (OUTSIDE, slot(save.number))) in named:
                self.skip(number)
                return self._saves.popleft(), save.root
        self.fault(f"/changes has a reload, but nobody saved: {entry}")
        return None, None

    def skip(self, count):
        """Leaves out outside saves that have no entry."""
        for _ in range(count):
            save = self._saves.popleft()
            if save.is_certain:
                self.fault(f"the outside save {save.number} has no entry in /changes")

    def check_edit(self, entry, request, state):
        before = self.states[-1]
        if state.digest == before.digest:
            self.fault(f"{entry['revision']}: the edit changes nothing, but has a revision: {request}")
        if request.condition is not None and not holds(request.condition, before):
            self.fault(f"{entry['revision']}: acknowledged though its condition was false: {request}")
        if request.target == "POST /edits":
            self.check_batch(entry, request, state)
        elif request.told is not None:
            expected = detail(state, path_of(request.told["href"]))
            if expected != answered_detail(request.told):
                self.fault(f"{entry['revision']}: it is {expected}, but answered is {request}")

    def check_batch(self, entry, request, state):
        if request.told["revision"] != entry["revision"]:
            self.fault(f"{request.told['revision']} was answered, but its entry is {entry['revision']}")
        for number, (step, made) in enumerate(zip(request.steps, request.told["edits"])):
            # An item that a later step takes out has no link any more.
            is_there = made is None or state.at(path_of(made["href"])) is not None
            if not is_there and not any("delete" in later for later in request.steps[number:]):
                self.fault(f"{entry['revision']}: {made['href']} is answered for {step}, but leads nowhere")

    # What may have been seen when

    def order(self):
        """For each moment the first and the last state that may have been seen."""
        answered = sorted((cause.answered, number + 1) for number, cause in enumerate(self.causes))
        sent = sorted((cause.sent, number + 1) for number, cause in enumerate(self.causes))
        self._answered = [moment for moment, _ in answered]
        self._newest = list(running((number for _, number in answered), max))
        self._sent = [moment for moment, _ in sent]
        self._oldest = list(running((number for _, number in reversed(sent)), min))[::-1]

    def window(self, sent, answered):
        """The numbers of the states that were there at some moment between the two."""
        known = bisect.bisect_left(self._answered, sent)
        first = self._newest[known - 1] if known else 0
        unknown = bisect.bisect_right(self._sent, answered)
        last = self._oldest[unknown] - 1 if unknown < len(self._oldest) else len(self.states) - 1
        return range(first, last + 1)

    def check_requests(self):
        """Holds each read and each refusal against the states of its time."""
        seen = collections.Counter()
        last = {}
        for request in self.requests:
            if request.steps is None:
                self.check_read(request, last)
                seen["reads"] += 1
            elif not request.is_done:
                self.check_refusal(request)
                seen[f"refusals {request.status}"] += 1
            else:
                seen["edits"] += 1
        return seen

    def check_read(self, request, last):
        window = self.window(request.sent, request.answered)
        # A client never sees a state older than one that it has seen.
        window = range(max(window.start, last.get(request.author, 0)), window.stop)
        for number in window:
            if holds(request, self.states[number]):
                last[request.author] = number
                return
        self.fault(f"{request.author} read {request.target} as no state from {window.start} to {window.stop - 1} was: "
                   f"{request.status} {str(request.seen)[:600]}; "
                   f"the last was {str(shown(request.target, self.states[window.stop - 1]))[:600]}")

    def check_refusal(self, request):
        if request.status not in (400, 404, 409, 412, 422, 428):
            self.fault(f"an edit is answered {request.status}: {request}")
            return
        window = self.window(request.sent, request.answered)
        if request.status == 412:
            # The state that was read must no longer be the only one.
            justified = request.condition and len(self.window(request.condition.sent, request.answered)) > 1
        else:
            justified = any(self.refuses(number, request) for number in window)
            # While someone else saves, an edit may be refused instead of being applied to the newer tree.
            justified |= request.status == 409 and any(
                isinstance(self.causes[number], Save) for number in range(max(0, window.start - 1), window.stop - 1))
        if not justified:
            self.fault(f"refused, but it could be done in each state from {window.start} to {window.stop - 1}: {request}")

    def refuses(self, number, request):
        try:
            done(self.states[number], request.steps, request.condition is not None)
        except Refused as refusal:
            return are_alike(refusal.status, request.status)
        return False


def running(values, better):
    best = None
    for value in values:
        best = value if best is None else better(best, value)
        yield best


def level_unasked(state, path):
    """A level as it shows unasked: its rows have their short values."""
    seen = level(state, path)
    if seen is not None:
        seen["rows"] = [[*row[:3], short_values(row[3])] for row in seen["rows"]]
    return seen


def shown(target, state):
    """What a read of a target shows of a state; None if there is no such item."""
    if target.startswith("/document"):
        return state.digest
    path = path_of(target.removesuffix(ALL_FIELDS))
    if target.startswith("/detail"):
        return detail(state, path)
    return level(state, path) if target.endswith(ALL_FIELDS) else level_unasked(state, path)


def holds(read, state):
    """Whether a read would show the same of a state."""
    return shown(read.target, state) == read.seen
