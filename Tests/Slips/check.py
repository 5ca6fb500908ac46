"""A sample with a slip at each of its places, as it is compiled; one slip for each piece of code."""

from places import Finder, edited
from tokens import Source

SAMPLE = """\
func take(_ count: Int?, of rows: [Row]) throws -> Int {
    precondition(rows.count < 9)
    guard count != 0, !rows.isEmpty else { return 0 }
    // A comment with a < b.
    for index in 1..<rows.count where index + 1 != 7 { total += rows[index].isWide ? 2 : min(count ?? 5, 3) }
    switch rows.first {
    case .plain, .wide(let width) where width == 1: note("a < \\(b)")
    case .high: try close(true)
    default: break
    }
    return total
}
"""
PLANTED = """\
func take(_ count: Int?, of rows: [Row]) throws -> Int {
    precondition(rows.count < 9)
    guard turned(NUMBER, count OPERATOR slipped(NUMBER, 0, 1)), turned(NUMBER, !rows.isEmpty) else { return slipped(NUMBER, 0, 1) }
    // A comment with a < b.
    for index in slipped(NUMBER, 1, 0)OPERATORrows.count where index + slipped(NUMBER, 1, 0) OPERATOR slipped(NUMBER, 7, 8) { if !slip(NUMBER) { total += turned(NUMBER, rows[index].isWide) ? slipped(NUMBER, 2, 1) : minNUMBER(count OPERATOR slipped(NUMBER, 5, 4), slipped(NUMBER, 3, 2)) } }
    switch rows.first {
    case .plain where !slip(NUMBER), .wide(let width) where (width OPERATOR slipped(NUMBER, 1, 0)) && !slip(NUMBER): if !slip(NUMBER) { note("a < \\(b)") }
    case .plain where slip(NUMBER), .wide where slip(NUMBER), .high where !slip(NUMBER): if !slip(NUMBER) { try close(slipped(NUMBER, true, false)) }
    default: break
    }
    return total
}
"""


def run():
    edits, taken = [], set()
    for place in Finder(Source("Sample.swift", SAMPLE)).find():
        if place.anchor not in taken:
            taken.add(place.anchor)
            edits += place.guarded
    planted = edited(SAMPLE, edits)
    if planted != PLANTED:
        print(f"slips: the sample becomes this, not what Tests/Slips/check.py says:\n{planted}")
    return planted != PLANTED
