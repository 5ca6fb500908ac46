import Testing

@testable import LevelsAPI

/// The lines of a token file.
@Suite struct AccessTokenTests {
    private func names(_ text: String) -> [String] {
        AccessTokens(Array(text.utf8)).tokens.map { "\($0.name ?? "-") \(String(decoding: $0.secret, as: UTF8.self))" }
    }

    @Test("A token is on a line of its own, after a name if it has one")
    func lines() {
        let text =
            "\u{FEFF}\n  \n# comment of words\nalice 0123456789abcdef\r\n\tbüro\t0123456789abcdeg \n!edcba987654321~"
        #expect(names(text) == ["alice 0123456789abcdef", "büro 0123456789abcdeg", "- !edcba987654321~"])
        #expect(AccessTokens(Array(text.utf8)).faults == [])
        #expect(AccessTokens([]).isEmpty && AccessTokens(Array("\n\r\n".utf8)).isEmpty)
        let name = String(repeating: "n", count: 64)
        #expect(names("\(name) 0123456789abcdef\n\(name)n 0123456789abcdef") == ["\(name) 0123456789abcdef"])
    }

    @Test("A line that is not a token allows nothing, and is reported by its number alone")
    func faults() {
        let text =
            "0123456789abcde\nalice bob 0123456789abcdef\nalice 0123456789äbcdef\n\u{1B} 0123456789abcdef\nx\u{2028}y 0123456789abcdef\nok 0123456789abcdef"
        let tokens = AccessTokens(Array(text.utf8))
        #expect(tokens.count == 1)
        #expect(
            tokens.faults.map { "\($0.line): \($0)" } == [
                "1: the token is shorter than 16 characters; make it longer",
                "2: it must be a token, or a name, a space and a token",
                "3: the token contains a character that is not visible ASCII",
                "4: the name before the token must be text of at most 64 bytes",
                "5: the name before the token must be text of at most 64 bytes",
            ])
    }

    @Test("A token is compared in all of its bytes, whatever the length of the sent one")
    func find() {
        let tokens = AccessTokens(Array("alice 0123456789abcdef\n0123456789abcdef0123456789abcdef\n".utf8))
        func name(_ text: String) -> String? { tokens.token(text.utf8Span.span).map { $0.name ?? "-" } }
        #expect(name("0123456789abcdef") == "alice")
        #expect(name("0123456789abcdef0123456789abcdef") == "-")
        for text in [
            "", "0", "0123456789abcde", "0123456789abcdeg", "1123456789abcdef", "0123456789abcdef0",
            "0123456789abcdef0123456789abcdef0123456789abcdef",
        ] { #expect(name(text) == nil) }
    }

    @Test("Wrong tokens are forgotten with time, and addresses when there are many")
    func failures() {
        let failures = TokenFailures()
        let start = ContinuousClock.now
        for _ in 0..<100 { #expect(failures.note("a", at: start) == nil) }
        #expect(failures.note("a", at: start)?.isFirst == true)
        #expect(failures.note("a", at: start)?.isFirst == false)
        #expect(failures.note("b", at: start) == nil)
        #expect(failures.note("a", at: start + .seconds(1)) == nil)
        for number in 0..<5_000 { _ = failures.note("c\(number)", at: start + .seconds(1)) }
        #expect(failures.count <= TokenFailures.addressLimit)
        #expect(failures.note("a", at: start + .seconds(1)) == nil)
        #expect(failures.note("a", at: start + .seconds(1))?.isFirst == false)
        #expect(failures.note("c1", at: start + .seconds(1)) == nil)
        // The next burst is told again.
        for _ in 0..<100 { #expect(failures.note("a", at: start + .seconds(61)) == nil) }
        #expect(failures.note("a", at: start + .seconds(61))?.isFirst == true)
    }
}
