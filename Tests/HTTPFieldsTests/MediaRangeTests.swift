import HTTPFields
import Testing

/// Media ranges of `Accept` and their weights (RFC 9110, sections 12.4.2 and 12.5.1).
@Suite struct MediaRangeTests {
    private static func ranges(_ line: String) -> [String] {
        var ranges: [String] = []
        line.utf8Span.span.forEachMediaRange { ranges.append("\(String($0.name)) \($0.quality)") }
        return ranges
    }

    @Test(
        "A line is its ranges, each without parameters, and with its weight in thousandths",
        arguments: [
            ("*/*", ["*/* 1000"]), ("application/json", ["application/json 1000"]),
            ("TEXT/HTML, a/b;q=0.9 , */*;q=0.8", ["TEXT/HTML 1000", "a/b 900", "*/* 800"]),
            ("a/b ; v=b3 ; q=0.7", ["a/b 700"]), ("a/b;Q=0.25", ["a/b 250"]), ("a/b\t;\tq=0.001\t", ["a/b 1"]),
            (#"a/b;v="x;q=0.1,y";q=0.2,c/d"#, ["a/b 200", "c/d 1000"]), ("é/ÿ;q=0.5", ["é/ÿ 500"]),
            ("a b;q=0.5", ["a b 500"]), ("a/b;q=0.1;q=0.9", ["a/b 100"]), ("q=0.1", ["q=0.1 1000"]),
        ])
    func ranges(_ line: String, _ ranges: [String]) { #expect(Self.ranges(line) == ranges) }

    @Test(
        "Elements without a name are skipped",
        arguments: [
            ("", []), (" ", []), (",,\t,", []), (";q=0.5", []), (" ;,;q=1, a/b", ["a/b 1000"]), (",a/b,", ["a/b 1000"]),
        ])
    func empty(_ line: String, _ ranges: [String]) { #expect(Self.ranges(line) == ranges) }

    @Test(
        "A weight is 0 or 1 with up to three decimals",
        arguments: [
            ("0", 0), ("1", 1_000), ("0.", 0), ("1.", 1_000), ("0.0", 0), ("0.000", 0), ("1.000", 1_000),
            ("0.5", 500), ("0.05", 50), ("0.005", 5), ("0.999", 999), ("0.123", 123),
        ])
    func quality(_ text: String, _ quality: Int) { #expect(Self.ranges("a/b;q=\(text)") == ["a/b \(quality)"]) }

    @Test(
        "A malformed weight is ignored, and so are those after it",
        arguments: [
            "", "2", "1.5", "1.001", "9", "0.1234", "1.0000", "0.0000", ".5", "-0.5", "+0", "00", "01", "0.a",
            "0.5x", "1e0", "\"0.5\"", "0 .5", "é", "0.5 5", "10", "0..5", "0.5.",
        ])
    func malformed(_ text: String) {
        #expect(Self.ranges("a/b;q=\(text)").first == "a/b 1000")
        #expect(Self.ranges("a/b;q=\(text);q=0.5").first == "a/b 1000")
    }

    @Test(
        "Parameters that are not 'q=' say nothing about the weight", arguments: ["q", "q =0", "qq=0", "=0", "aq=0", ""])
    func others(_ parameter: String) {
        #expect(Self.ranges("a/b;\(parameter)") == ["a/b 1000"])
        #expect(Self.ranges("a/b;\(parameter);q=0.5") == ["a/b 500"])
    }
}
