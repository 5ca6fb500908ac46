import HTTPFields
import Testing

/// Preferences (RFC 7240, section 2).
@Suite struct PreferenceTests {
    private static func preferences(_ line: String) -> [String] {
        var preferences: [String] = []
        line.utf8Span.span.forEachPreference {
            preferences.append("\(String($0.name))|\(String($0.value))")
            return true
        }
        return preferences
    }

    @Test(
        "A line is its preferences, each with its value",
        arguments: [
            ("wait=7", ["wait|7"]), ("Wait = 7", ["Wait|7"]), ("a, wait=\"10\" ,b=c", ["a|", "wait|10", "b|c"]),
            ("\twait\t=\t7\t", ["wait|7"]), ("wait=7;x=1", ["wait|7"]), ("wait ; x=1", ["wait|"]),
            ("wait=7 ; x=\"a,b\",c", ["wait|7", "c|"]),
            ("wait=\"\"", ["wait|"]), ("wait=", ["wait|"]), ("wait=7, wait=8", ["wait|7", "wait|8"]),
            ("a=b=c", ["a|b=c"]),
            ("é=ÿ", ["é|ÿ"]),
        ])
    func preferences(_ line: String, _ preferences: [String]) { #expect(Self.preferences(line) == preferences) }

    @Test(
        "What is malformed is passed as it is",
        arguments: [
            ("", ["|"]), (",", ["|", "|"]), ("=", ["|"]), (";", ["|"]), ("=7", ["|7"]), (";wait=7", ["|"]),
            ("wait=\"", ["wait|\""]), ("wait=\"7", ["wait|\"7"]), ("wait=\"7,b=1", ["wait|\"7,b=1"]),
            ("wait=7\"", ["wait|7\""]),
            ("wait=\"3;4\"", ["wait|\"3"]), ("wait=\" 7 \"", ["wait| 7 "]),
            ("a=\"\\\",wait=3\", wait=7", ["a|\\\",wait=3", "wait|7"]),
        ])
    func odd(_ line: String, _ preferences: [String]) { #expect(Self.preferences(line) == preferences) }

    @Test("No preference follows the one at which the visitor stops, of thousands")
    func stop() {
        let line = (0..<10_000).map { "a\($0)=\($0)" }.joined(separator: ",")
        #expect(Self.preferences(line) == (0..<10_000).map { "a\($0)|\($0)" })
        var visits = 0
        line.utf8Span.span.forEachPreference { preference in
            visits += 1
            return String(preference.name) != "a4999"
        }
        #expect(visits == 5_000)
    }
}
