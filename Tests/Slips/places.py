"""Places of a source file at which a slip can be made, and the slip at each.

A slip of Swift has two forms: `guarded`, edits that let `slip(NUMBER)` choose between the code and the slip, so that one build
serves all; and `plain`, edits that make the slip alone. JavaScript has the second form only.
"""

import dataclasses
import re

# Calls and declarations that are no places: logging, checks of the programmer's own mistakes, and what only saves time.
NOISE = re.compile(
    r"\b(precondition|preconditionFailure|assert\w*|fatalError|print|debugPrint|log|console|reserveCapacity"
    r"|\w*[cC]apacity|initialCount|prefetch|unsafeFlags|available|inlinable|inline)\b")
DECLARATIONS = set("""
    let var const if guard for while switch repeat do defer case default func function struct class enum extension protocol
    import export typealias init deinit subscript static private public internal package fileprivate final mutating nonmutating
    override lazy weak unowned nonisolated indirect convenience required consuming borrowing async else catch finally super
    associatedtype actor operator infix prefix fallthrough new
""".split())
EXITS = {"return", "throw", "continue", "break"}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "%=", "&&=", "||=", "??="}
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "===": "!==", "!==": "==="}
LOGIC = {"&&": ("||", "LogicalConjunctionPrecedence"), "||": ("&&", "LogicalDisjunctionPrecedence")}
# Larger decimal numbers are sizes, and off by one they are rarely wrong.
LARGEST = 16

# NUMBER is the number of the slip, OPERATOR an operator of its own; SLIP is what stands in place of CODE.
COMPARISON = """\
infix operator OPERATOR: ComparisonPrecedence
func OPERATOR <T: PROTOCOL>(l: T, r: T) -> Bool { slip(NUMBER) ? l SLIP r : l CODE r }
@_disfavoredOverload func OPERATOR <L: BinaryInteger, R: BinaryInteger>(l: L, r: R) -> Bool { slip(NUMBER) ? l SLIP r : l CODE r }
"""
EQUALITY = """\
func OPERATOR <T>(l: T?, r: _OptionalNilComparisonType) -> Bool { slip(NUMBER) ? l SLIP r : l CODE r }
func OPERATOR <A: Equatable, B: Equatable>(l: (A, B), r: (A, B)) -> Bool { slip(NUMBER) ? l SLIP r : l CODE r }
"""
LOGICAL = """\
infix operator OPERATOR: PRECEDENCE
func OPERATOR (l: Bool, r: @autoclosure () throws -> Bool) rethrows -> Bool { slip(NUMBER) ? try l SLIP r() : try l CODE r() }
"""
FALLBACK = """\
infix operator OPERATOR: NilCoalescingPrecedence
func OPERATOR <T>(l: T?, r: @autoclosure () throws -> T) rethrows -> T { slip(NUMBER) ? try r() : try l ?? r() }
func OPERATOR <T>(l: T?, r: @autoclosure () throws -> T?) rethrows -> T? {
    let other = slip(NUMBER) ? try r() : nil
    return try other ?? l ?? r()
}
"""
NEGATION = """\
prefix operator OPERATOR
prefix func OPERATOR (value: Bool) -> Bool { slip(NUMBER) ? value : !value }
"""
RANGE = """\
infix operator OPERATOR: RangeFormationPrecedence
func OPERATOR <T: Strideable>(l: T, r: T) -> Range<T> where T.Stride: SignedInteger {
    l..<(slip(NUMBER) == CLOSED ? r : r.advanced(by: 1))
}
"""
EXTREME = """\
func CODENUMBER<T: Comparable>(_ l: T, _ r: T) -> T { slip(NUMBER) ? Swift.SLIP(l, r) : Swift.CODE(l, r) }
"""


@dataclasses.dataclass
class Edit:
    """Text for a range; for an insertion, `partner` is the other end of what it encloses."""

    start: int
    end: int
    text: str
    partner: int = -1

    def rank(self):
        if self.start < self.end:
            return self.start, 2, 0
        return self.start, int(self.partner >= self.start), -self.partner


@dataclasses.dataclass
class Place:
    path: str
    kind: str
    line: int
    last_line: int
    # What no other slip touches.
    anchor: int
    change: str
    plain: list
    guarded: list
    declaration: str = ""

    def __str__(self):
        return f"{self.path}:{self.line}: {self.change}"


def edited(text, edits, **names):
    """The text after edits, which do not overlap except that one encloses another."""
    pieces, position = [], 0
    for edit in sorted(edits, key=Edit.rank):
        pieces += [text[position:edit.start], edit.text]
        position = max(position, edit.end)
    return "".join(pieces) + text[position:]


class Finder:
    """Collects the places of one file."""

    def __init__(self, source):
        self.source = source
        self.tokens = source.tokens
        self.places = []
        self.colons = set()
        self.clauses = []

    def find(self):
        self.find_clauses()
        openers = [index for index, token in enumerate(self.tokens) if token.text == "{" and self.is_block(index)]
        for opener in openers if self.source.is_swift else [-1] + openers:
            self.find_statements(opener)
        for index, token in enumerate(self.tokens):
            if token.kind == "operator":
                self.find_operator(index)
            elif token.kind == "number":
                self.find_number(index)
            elif token.text in ("true", "false") and token.kind == "word":
                other = "false" if token.text == "true" else "true"
                self.replace(index, "constant", other, f"slipped(NUMBER, {token.text}, {other})")
            elif token.text in ("if", "guard") and token.kind == "word":
                self.find_conditions(index)
            elif token.text in ("min", "max") and self.word(index + 1) == "(" and self.word(index - 1) not in (".", "func"):
                other = "max" if token.text == "min" else "min"
                self.replace(index, "boundary", other, token.text + "NUMBER", EXTREME)
        for number in range(len(self.clauses) - 1):
            self.find_patterns(number)
        return self.places

    # MARK: What the finders share

    def word(self, index):
        return self.source.word(index)

    def add(self, kind, first, last, change, plain, guarded, declaration=""):
        text = self.source.inside((first, last))
        line = self.source.line(self.tokens[first].line)
        opener = first
        while (opener := self.tokens[opener].parent) >= 0 and self.word(opener) == "(":
            if NOISE.search(self.word(opener - 1)):
                return
        if NOISE.search(text) or NOISE.search(line) or line.startswith("#"):
            return
        self.places.append(Place(
            self.source.path, kind, self.tokens[first].line, self.tokens[last].line, first, change, plain, guarded, declaration))

    def replace(self, index, kind, slip, guarded, declaration="", **names):
        """Another token in place of one."""
        token = self.tokens[index]
        change = f"'{token.text}' becomes '{slip}' in: {self.source.line(token.line)}"
        for name, value in {"CODE": token.text, "SLIP": slip, **names}.items():
            declaration = declaration.replace(name, value)
        self.add(kind, index, index, change, [Edit(token.start, token.end, slip)],
                 [Edit(token.start, token.end, guarded)], declaration)

    def wrap(self, kind, first, last, change, plain, guarded):
        """Texts before and after a range of tokens."""
        start, end = self.tokens[first].start, self.tokens[last].end
        edits = [[Edit(start, start, before, end), Edit(end, end, after, start)] for before, after in (plain, guarded)]
        self.add(kind, first, last, change, *edits)

    def excerpt(self, first, last):
        text = " ".join(self.source.inside((first, last)).split())
        return text if len(text) <= 90 else text[:88] + "…"

    def siblings(self, index, end=None):
        """The indices of tokens after one within the same brackets; bracketed groups count as their opening token."""
        end = len(self.tokens) if end is None else end
        while index < end and self.word(index) not in (")", "]", "}"):
            yield index
            index = (self.tokens[index].partner if self.tokens[index].partner > index else index) + 1

    # MARK: Operators and literals

    def find_operator(self, index):
        text = self.word(index)
        if self.word(index - 1) == "func" or self.word(index + 1) in (")", ","):
            return
        spaced = self.source.spaced(index)
        if text in COMPARISONS and spaced:
            is_equality = text in ("==", "!=")
            self.replace(index, "comparison", COMPARISONS[text], "OPERATOR", COMPARISON + EQUALITY * is_equality,
                         PROTOCOL="Equatable" if is_equality else "Comparable")
        elif text in LOGIC and spaced:
            slip, precedence = LOGIC[text]
            self.replace(index, "logic", slip, "OPERATOR", LOGICAL, PRECEDENCE=precedence)
        elif text == "??" and spaced and self.source.is_swift:
            self.replace(index, "logic", "?? with its sides exchanged", "OPERATOR", FALLBACK)
        elif text == "!" and not self.source.spaced(index) and self.word(index + 1) not in ("=", ")", ",", "."):
            before = self.source.text[self.tokens[index].start - 1]
            if before.isspace() or before in "([{":
                self.replace(index, "logic", "", "OPERATOR", NEGATION)
        elif text in ("..<", "...") and self.source.is_swift and (spaced or self.source.glued(index)):
            # Nothing is beyond '.max'.
            if self.word(index - 1) not in "([," and self.word(index + 1) not in ")]," and self.word(index + 2) != "max":
                other = "..." if text == "..<" else "..<"
                self.replace(index, "boundary", other, "OPERATOR", RANGE, CLOSED=str(text == "...").lower())
        elif text == "?" and spaced:
            self.find_choice(index)

    def find_choice(self, index):
        """The condition of `condition ? one : other`."""
        first = index
        while first > 0 and self.tokens[first - 1].text not in ("(", "[", "{", ",", ":", "=", "return", "in", "=>", "?"):
            if self.word(first - 1) in ("??", "+=", "throw") or self.tokens[first].begins_line and self.word(first) not in LOGIC:
                break
            first -= 1
            if self.word(first) in (")", "]", "}"):
                first = self.tokens[first].partner
        while self.word(first) in ("try", "await", "unsafe"):
            first += 1
        if 0 < first < index and self.tokens[first].parent == self.tokens[index].parent:
            self.turn(first, index - 1)

    def find_number(self, index):
        text = self.word(index)
        is_decimal = text.replace("_", "").isdigit()
        if not is_decimal and not text.startswith(("0x", "0b")) or self.word(index - 1) == ".":
            return
        value = int(text, 0 if not is_decimal else 10)
        if is_decimal and value > LARGEST:
            return
        kind = "boundary" if self.word(index - 1) in ("+", "-") else "constant"
        form = hex if text.startswith("0x") else bin if text.startswith("0b") else str
        for other in {value + 1, max(value - 1, 0)} - {value}:
            self.replace(index, kind, form(other), f"slipped(NUMBER, {text}, {form(other)})")

    # MARK: Conditions

    def find_conditions(self, index):
        if not self.source.is_swift:
            if self.word(index) == "if" and self.word(index + 1) == "(":
                self.turn(index + 2, self.tokens[index + 1].partner - 1)
            return
        start = previous = index + 1
        elements = []
        for place in self.siblings(index + 1):
            if self.word(place) in (",", "{", "else"):
                elements.append((start, previous))
                start = place + 1
                if self.word(place) != ",":
                    break
            previous = max(self.tokens[place].partner, place)
        for first, last in elements:
            if first <= last and self.word(first) not in ("let", "var", "case", "#available", "_"):
                self.turn(first, last, is_one_of_several=len(elements) > 1)

    def turn(self, first, last, is_one_of_several=False):
        """A condition that is turned round, or that always or never holds."""
        text = self.excerpt(first, last)
        self.wrap("condition", first, last, f"turned round: {text}", ("!(", ")"), ("turned(NUMBER, ", ")"))
        self.wrap("condition", first, last, f"taken as true: {text}", ("true || (", ")"), ("slipped(NUMBER, ", ", true)"))
        if not is_one_of_several:
            self.wrap("condition", first, last, f"taken as false: {text}", ("false && (", ")"), ("slipped(NUMBER, ", ", false)"))

    # MARK: Statements

    def is_block(self, opener):
        before = self.word(opener - 1)
        return self.source.is_swift or before in (")", "=>", "else", "try", "finally", "do")

    def continues(self, index):
        """Whether a line that begins with a token goes on with the statement before it."""
        token, before = self.tokens[index], self.tokens[index - 1]
        if before.text in (",", "=", "->", "=>", ":") and index - 1 not in self.colons:
            return True
        if before.kind == "operator" and self.source.spaced(index - 1):
            return True
        if token.kind == "operator":
            is_prefix = token.text in ("!", "-", "&", "~", "++", "--") and not self.source.text[token.end].isspace()
            return not is_prefix
        return token.text in ("else", "catch", "where", "finally", "as", "is", "{", ":")

    def statements(self, opener):
        """The first and last token of each statement of a block."""
        end = self.tokens[opener].partner if opener >= 0 else len(self.tokens)
        indices = list(self.siblings(opener + 1, end))
        words = [self.word(index) for index in indices]
        if "in" in words and "for" not in words[:words.index("in")] and opener >= 0:
            indices = indices[words.index("in") + 1:]
        starts = [
            index for number, index in enumerate(indices)
            if number == 0 or self.word(index - 1) == ";" or index - 1 in self.colons
            or self.tokens[index].begins_line and not self.continues(index)]
        for start, following in zip(starts, starts[1:] + [end]):
            last = following - 1 - (self.word(following - 1) == ";")
            if start <= last:
                yield start, last

    def header(self, opener):
        """The words before a block, from its brace backwards to the first word of its statement."""
        words = []
        index = opener - 1
        while index >= 0 and self.word(index) not in ("{", "}", ";") and len(words) < 60:
            words.append(self.word(index))
            if self.tokens[index].begins_line and not self.continues(index):
                break
            index = (self.tokens[index].partner if self.word(index) in (")", "]") else index) - 1
        return words or [""]

    def compiles_without(self, first, is_last, is_only, is_assignment, opener):
        """Whether a statement of Swift can probably be left out: the block does not need it as its exit, value or start."""
        header = self.header(opener)
        begin = header[-1]
        if self.word(first) in EXITS:
            return not is_last or begin in ("if", "else", "for", "while", "catch", "do")
        if is_assignment:
            return begin != "init" or self.word(first) not in ("self", "(")
        is_control = begin in ("if", "guard", "for", "while", "do", "defer", "repeat", "else", "catch", "init", "deinit")
        return not is_only or is_control or "func" in header and "->" not in header

    def find_statements(self, opener):
        statements = list(self.statements(opener))
        for first, last in statements:
            word = self.word(first)
            indices = [index for index in self.siblings(first, last + 1)]
            words = [self.word(index) for index in indices]
            is_assignment = any(self.word(index) in ASSIGNMENTS for index in indices)
            is_exit = word in EXITS
            if not is_exit:
                if word in DECLARATIONS or word[0] in "@#\"'`0123456789" or words[:3] == ["self", ".", "init"]:
                    continue
                if not is_assignment and self.word(last) not in (")", "}") or "->" in words or "let" in words:
                    continue
            is_last = (first, last) == statements[-1] or self.word(last + 1) in ("case", "default")
            if self.source.is_swift and not self.compiles_without(
                    first, is_last, len(statements) == 1, is_assignment, opener):
                continue
            kind = "early exit" if is_exit else "statement"
            text = self.excerpt(first, last)
            start, end = self.tokens[first].start, self.tokens[last].end
            self.wrap(kind, first, last, f"left out: {text}", ("", ""), ("if !slip(NUMBER) { ", " }"))
            if self.places and self.places[-1].anchor == first and self.places[-1].kind == kind:
                self.places[-1].plain = [Edit(start, end, ";" if not self.source.is_swift else "")]
            if word == "try" and self.source.is_swift and self.word(first + 1) not in ("?", "!"):
                self.wrap("error swallowed", first, last, f"an error is swallowed: {text}",
                          ("do { ", " } catch {}"), ("do { ", " } catch { if !slip(NUMBER) { throw error } }"))

    # MARK: Cases

    def find_clauses(self):
        """Notes the clauses of each `switch`: its block, the first token, and the colon."""
        for opener, token in enumerate(self.tokens):
            if token.text != "{" or not self.follows_switch(opener):
                continue
            indices = list(self.siblings(opener + 1, token.partner))
            first = None
            for index in indices:
                if self.word(index) in ("case", "default") and first is None and (
                        self.tokens[index].begins_line or index == opener + 1):
                    first = index
                elif self.word(index) == ":" and first is not None:
                    self.colons.add(index)
                    self.clauses.append((opener, first, index))
                    first = None

    def follows_switch(self, opener):
        index = opener - 1
        while index >= 0 and self.word(index) not in ("{", "}", ";", ":"):
            if self.word(index) == "switch":
                return True
            index = (self.tokens[index].partner if self.word(index) in (")", "]") else index) - 1
        return False

    def find_patterns(self, number):
        """Each pattern of a clause, which goes to the next clause."""
        opener, case, colon = self.clauses[number]
        next_opener, next_case, next_colon = self.clauses[number + 1]
        if opener != next_opener or self.word(case) != "case" or not self.source.is_swift:
            return
        takes_names = any(self.word(index) in ("let", "var") for index in range(next_case, next_colon))
        start, condition = case + 1, None
        for index in list(self.siblings(case + 1, colon)) + [colon]:
            if self.word(index) == "where":
                condition = index
            elif index == colon or self.word(index) == ",":
                self.find_pattern(start, condition, index - 1, next_case, takes_names)
                start, condition = index + 1, None

    def find_pattern(self, first, condition, last, next_case, takes_names):
        pattern = self.without_names(first, (condition or last + 1) - 1)
        is_default = self.word(next_case) == "default"
        if pattern is None or takes_names and not is_default:
            return
        end = self.tokens[last].end
        guarded = [Edit(end, end, ") && !slip(NUMBER)" if condition else " where !slip(NUMBER)", self.tokens[first].start)]
        if condition:
            begin = self.tokens[condition + 1].start
            guarded.append(Edit(begin, begin, "(", end))
        if not is_default:
            begin = self.tokens[next_case + 1].start
            # Not without the slip: a value whose condition fails goes on to the cases after this one.
            guarded.append(Edit(begin, begin, pattern + " where slip(NUMBER), ", begin))
        change = f"'{self.excerpt(first, last)}' does what the next case does"
        self.add("case", first, last, change, [], guarded)
        if self.places and self.places[-1].anchor == first and not is_default:
            self.places[-1].last_line = self.tokens[next_case + 1].line

    def without_names(self, first, last):
        """The text of a pattern without the names that it binds; None if it cannot be told."""
        words = [self.word(index) for index in range(first, last + 1)]
        if "let" not in words and "var" not in words:
            return self.source.inside((first, last))
        head = words.index("(") if "(" in words else 0
        payload = words[head:]
        if not head or any(word in (".", '"', "?") or word[0].isdigit() for word in payload):
            return None
        return "".join(words[1 if words[0] in ("let", "var") else 0:head])
