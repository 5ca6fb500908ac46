"""Tokens of Swift and JavaScript, as far as slips need them: strings and comments are opaque, brackets know their partners."""

import dataclasses
import re

COMMENT = re.compile(r"//[^\n]*")
STRING = re.compile(r'#*"""|#*"|\'|`')
WORD = re.compile(r"[@#]?[A-Za-z_$][A-Za-z0-9_$]*")
NUMBER = re.compile(r"0[xbo][0-9A-Fa-f_]+|[0-9][0-9_]*(\.[0-9]+)?([eE][-+]?[0-9]+)?")
OPERATOR = re.compile(
    r"\.\.\.|\.\.<|===|!==|&&=|\|\|=|\?\?=|&&|\|\||==|!=|<<=|>>=|<=|>=|->|=>|\+=|-=|\*=|/=|%=|\|=|&=|\^=|\?\?|\+\+|--"
    r"|&\+|&-|&\*|<<|>>|[-+*/%<>=!&|^~?.]")
OPENING, CLOSING = "([{", ")]}"
REGEX = re.compile(r"/(?=[^\s/*])([^/\\\[\n]|\\.|\[([^\]\\]|\\.)*\])+/[a-z]*")
# After these, a slash begins a regular expression.
BEFORE_REGEX = re.compile(r"[(\[{},;:=!&|?+]|=>|&&|\|\||\?\?|return|===|!==")


@dataclasses.dataclass
class Token:
    kind: str  # word, number, string, operator, or the character of punctuation
    text: str
    start: int
    end: int
    line: int
    # The index of the innermost opening bracket around the token, or -1; of a bracket's partner.
    parent: int = -1
    partner: int = -1
    begins_line: bool = False


class Source:
    """The text and the tokens of one file."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.is_swift = path.endswith(".swift")
        self.tokens = []
        self._scan()
        self._pair()

    def word(self, index):
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def spaced(self, index):
        """Whether white space is on both sides of a token."""
        token = self.tokens[index]
        return self.text[token.start - 1:token.start].isspace() and self.text[token.end:token.end + 1].isspace()

    def glued(self, index):
        """Whether white space is on no side of a token."""
        token = self.tokens[index]
        return not self.text[token.start - 1:token.start].isspace() and not self.text[token.end:token.end + 1].isspace()

    def line(self, number):
        return self.text.split("\n")[number - 1].strip()

    def inside(self, index):
        """The text of a range of tokens from one index to another, both included."""
        first, last = index
        return self.text[self.tokens[first].start:self.tokens[last].end]

    def _scan(self):
        text, position, line, begins_line = self.text, 0, 1, True
        while position < len(text):
            character = text[position]
            start = position
            if character == "\n":
                line, position, begins_line = line + 1, position + 1, True
                continue
            if character.isspace():
                position += 1
                continue
            if found := COMMENT.match(text, position):
                position = found.end()
                continue
            if text.startswith("/*", position):
                position = text.find("*/", position) + 2
                line += text.count("\n", start, position)
                continue
            kind = None
            is_code = self.is_swift and character in "`'"
            if (found := STRING.match(text, position)) and not is_code:
                position, kind = self._string_end(found.end(), found.group()), "string"
            elif character == "`":
                position, kind = text.index("`", position + 1) + 1, "word"
            elif (found := REGEX.match(text, position)) and self._regex_can_begin():
                position, kind = found.end(), "string"
            else:
                for name, pattern in (("word", WORD), ("number", NUMBER), ("operator", OPERATOR)):
                    if found := pattern.match(text, position):
                        position, kind = found.end(), name
                        break
                else:
                    position, kind = position + 1, character
            self.tokens.append(Token(kind, text[start:position], start, position, line, begins_line=begins_line))
            line += text.count("\n", start, position)
            begins_line = False

    def _regex_can_begin(self):
        return not self.tokens or bool(BEFORE_REGEX.fullmatch(self.tokens[-1].text))

    def _string_end(self, position, opening):
        """The end of a string literal; code that is interpolated in it is a part of it."""
        text = self.text
        hashes = opening.rstrip('"') if opening[0] in '#"' else ""
        closing = opening[len(hashes):] + hashes
        interpolation = "\\" + hashes + "(" if self.is_swift else "${" if opening == "`" else "\0"
        while not text.startswith(closing, position):
            if position >= len(text):
                raise ValueError(f"{self.path}: a string does not end")
            if text.startswith(interpolation, position):
                position, depth = position + len(interpolation), 1
                while depth:
                    if (found := STRING.match(text, position)) and not (self.is_swift and text[position] in "`'"):
                        position = self._string_end(found.end(), found.group())
                        continue
                    if text[position - 1] in "(,=:" and (found := REGEX.match(text, position)):
                        position = found.end()
                        continue
                    depth += (text[position] in OPENING) - (text[position] in CLOSING)
                    position += 1
            elif text.startswith("\\" + hashes, position):
                position += 2 + len(hashes)
            else:
                position += 1
        return position + len(closing)

    def _pair(self):
        stack = []
        for index, token in enumerate(self.tokens):
            if token.text in CLOSING and token.kind != "string" and stack:
                token.partner = stack.pop()
                self.tokens[token.partner].partner = index
            token.parent = stack[-1] if stack else -1
            if token.text in OPENING and token.kind != "string":
                stack.append(index)
