"""Extreme values of everything that a client sends: numbers, texts, and the fields of cursors."""

import re
import struct

# The ends of 32, 53 and 64 bits, numbers beyond each, and texts that are no number.
NUMBERS = [
    "0", "-0", "1", "-1", "7", "1000", "9999", "10000", "10001", "30002", "2147483647", "2147483648", "-2147483648",
    "4294967295", "4294967296", "9007199254740991", "9007199254740992", "9007199254740993", "9223372036854765807",
    "9223372036854775806", "9223372036854775807", "9223372036854775808", "-9223372036854775807", "-9223372036854775808",
    "-9223372036854775809", "18446744073709551615", "18446744073709551616", "1" + "0" * 400, "-1" + "0" * 400, "0" * 400,
    "0.5", "1e5", "1e400", "-1e400", "1e-400", "5e-324", "10e9223372036854775807", "1e-9223372036854775808",
    "0.1e-9223372036854775808", "1e99999999999999999999", "1.0", "+1", "Inf", "-Inf", "NaN", "infinity", "0x10", "٣"]
TEXTS = [
    "", "%00", "a%00b", "x" * 7_000, "x" * 8_192, "%F0%9F%92%A9" * 500, "%FF", "%", "%C0%80", "%EF%BF%BF", "..", ".", ",",
    ",,,,", "'", '%22', "%5C", "%", "*", "~", "~3", "~9", "-", "--", ":", "é", "e%CC%81" * 300, "true", "null",
    "0001-01-01", "9999-12-31T23:59:60Z", "infinity", "2001-02-30", "00000000-0000-0000-0000-000000000000"]
VALUES = NUMBERS + TEXTS
# The ends of a word of a cursor.
WORDS = [0, 1, 2, 999, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 10_000, 2**63 - 2, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1]
REALS = [0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1e308, 5e-324, 9.2233720368547758e18]
# What a body of JSON has as a number; texts, because JSON of Python has no such numbers.
JSON_NUMBERS = [
    "0", "-0", "-1", "0.5", "2147483648", "4294967296", "9007199254740993", "9223372036854775806", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
    "1" + "0" * 400, "-1" + "0" * 400, "1e308", "1e400", "1e-400", "5e-324", "1e99999999999999999999", "1.0", "null",
    "true", '""', '"9223372036854775807"', '"\\u0000"', '"' + "x" * 8_192 + '"', "[]", "{}"]

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
WORD = 11


def word_text(word):
    return "".join(ALPHABET[word >> 6 * digit & 63] for digit in reversed(range(WORD)))


def words_of(text):
    """The words of a part of a cursor; None for other texts."""
    if len(text) % WORD or not re.fullmatch(r"[A-Za-z0-9_-]*", text):
        return None
    words = []
    for start in range(0, len(text), WORD):
        word = 0
        for character in text[start:start + WORD]:
            word = word << 6 | ALPHABET.index(character)
        words.append(word)
    return words


def altered_cursors(cursor, pick=None, ends=WORDS):
    """A cursor with one of its fields replaced by extremes; with `pick`, which chooses from a list, only one of them."""
    fields = supplied_fields(cursor) if cursor.startswith(".") else None
    if fields is None:
        return altered_words(cursor, pick, ends)
    return [supplied_cursor(fields[:number] + [other] + fields[number + 1:])
            for number in chosen(range(len(fields)), pick) for other in chosen(extremes_of(fields[number], ends), pick)]


def chosen(values, pick):
    return [pick(list(values))] if pick and values else values


# MARK: The cursor of a level in memory: words, and dots between its parts


def altered_words(cursor, pick, ends):
    pieces = re.findall(rf"[.]|^_|[^.]{{{WORD}}}|[^.]+", cursor)
    places = [number for number, piece in enumerate(pieces) if len(piece) == WORD]
    altered = []
    for number in chosen(places, pick):
        word = (words_of(pieces[number]) or [0])[0]
        for other in chosen(sorted({*ends, max(0, word - 1), (word + 1) % 2**64}), pick):
            altered.append("".join(pieces[:number] + [word_text(other)] + pieces[number + 1:]))
    return altered


# MARK: The cursor of a database: bytes, in which numbers, runs and values follow each other


def supplied_fields(cursor):
    """The fields as pairs of kind and value; None for bytes of another form."""
    words = words_of(cursor[1:])
    if not words:
        return None
    data = b"".join(struct.pack(">Q", word) for word in words[1:])[:words[0]]
    reader = Reader(data)
    try:
        fields = [("word", reader.word()), ("number", reader.number()), ("number", reader.number()), ("run", reader.run())]
        fields.append(("byte", reader.byte()))
        if fields[-1][1] == 1:
            fields.append(("word", reader.word()))
        while not reader.is_at_end():
            kind = reader.byte()
            read = {0: lambda: 0, 1: reader.word, 2: reader.word, 3: reader.run, 4: reader.run}[kind]
            fields.append((f"value {kind}", read()))
        return fields
    except (IndexError, KeyError, struct.error):
        return None


class Reader:
    def __init__(self, data):
        self.data = data
        self.offset = 0

    def is_at_end(self):
        return self.offset >= len(self.data)

    def byte(self):
        self.offset += 1
        return self.data[self.offset - 1]

    def word(self):
        self.offset += 8
        return struct.unpack_from("<Q", self.data, self.offset - 8)[0]

    def number(self):
        number = shift = 0
        while True:
            byte = self.byte()
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number

    def run(self):
        count = self.number()
        self.offset += count
        return self.data[self.offset - count:self.offset]


def leb128(number):
    data = bytearray()
    while number >= 128:
        data.append(number & 127 | 128)
        number >>= 7
    return bytes(data + bytes([number]))


def field_bytes(kind, value):
    if isinstance(value, bytes):
        data = leb128(len(value)) + value
    else:
        data = {"number": leb128, "byte": lambda n: bytes([n])}.get(kind, lambda n: struct.pack("<Q", n))(value)
    if kind.startswith("value "):
        number = int(kind[6:])
        return bytes([number]) + (b"" if number == 0 else data)
    return data


def supplied_cursor(fields):
    """The cursor with these fields; a field of the kind `raw` is written as it is."""
    data = b"".join(value if kind == "raw" else field_bytes(kind, value) for kind, value in fields)
    padded = data + bytes(-len(data) % 8)
    words = [len(data), *(word for word, in struct.iter_unpack(">Q", padded))]
    return "." + "".join(map(word_text, words))


def extremes_of(field, ends):
    kind, value = field
    if len(ends) < len(WORDS):
        return [(kind if kind in ("word", "number") else "value 1", end) for end in ends] if kind not in ("run", "byte") else []
    values = [("value 0", 0)] + [("value 1", word) for word in WORDS]
    values += [("value 2", struct.unpack("<Q", struct.pack("<d", real))[0]) for real in REALS]
    values += [(f"value {number}", data) for number in (3, 4) for data in
               (b"", b"\0", b"\xff", b"x" * 4_000, b"9223372036854775808", b"1e400", b"infinity", "é".encode())]
    raw = [("raw", b""), ("raw", b"\xff" * 9), ("raw", b"\xff" * 10 + b"\1")]
    if kind == "word":
        return [(kind, word) for word in WORDS] + raw
    if kind == "number":
        near = {max(0, value - 1), value + 1, value + 100_000}
        return [(kind, number) for number in sorted({*WORDS, *near})] + raw
    if kind == "run":
        return [(kind, data) for data in (b"", b"\0", b"\xff" * 300, b"x", value + b"x", value[:-1])] + raw
    if kind == "byte":
        return [(kind, 0), (kind, 1), (kind, 2), (kind, 255)] + raw
    return values + raw
