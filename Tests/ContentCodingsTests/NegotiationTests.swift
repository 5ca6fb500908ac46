import ContentCodings
import Testing

/// Which coding an `Accept-Encoding` chooses (RFC 9110, section 12.5.3).
@Suite struct NegotiationTests {
    private static func choice(_ lines: String...) -> CodingChoice? {
        var accepted = AcceptedCodings()
        for line in lines { accepted.read(line.utf8Span.span) }
        return accepted.choice
    }

    private static let brotli = CodingChoice(coding: .brotli, admitsIdentity: true)
    private static let gzip = CodingChoice(coding: .gzip, admitsIdentity: true)

    @Test(
        "Brotli is chosen where nothing is liked better",
        arguments: [
            "br", "gzip, deflate, br", "gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.8, *;q=0.1", "*", "gzip, *", "BR",
            "gzip;q=0.5, br;q=0.5, identity;q=0.5", "br;q=0.001", "gzip;q=0.999,br", "*;q=0.5, gzip;q=0.4", " br ",
            "\tbr\t;\tq=1\t", "br ; q=0.300 , gzip ;q=0.3", ",, ,br,", "br;Q=1", "br;q=1.", "br;q=1.000",
            "br;q=0, br", "br, br;q=0", "zstd, deflate;q=0.1, br;q=0.2", "identity, br", "identity;q=0.1, br;q=0.100",
        ])
    func prefersBrotli(_ field: String) { #expect(Self.choice(field) == Self.brotli) }

    @Test(
        "Gzip is chosen where it is liked best, or Brotli not at all",
        arguments: [
            "gzip", "x-gzip", "X-GZip;q=0.7", "gzip, deflate", "br;q=0.5, gzip;q=1", "gzip;q=0.002, br;q=0.001",
            "*, br;q=0", "br;q=0.3, *;q=0.4", "gzip;q=0, x-gzip;q=1", "x-gzip, gzip;q=0", "gzip;q=1, gzip;q=0",
            "deflate, gzip;q=0.001", "identity;q=0.5, gzip",
        ])
    func prefersGzip(_ field: String) { #expect(Self.choice(field) == Self.gzip) }

    @Test(
        "A body stays as it is where nothing else is taken, or that is liked best",
        arguments: [
            "", " ", ",", "identity", "deflate", "zstd;q=1, compress", "gzip;q=0, br;q=0", "gzip;q=0", "br;q=0.0",
            "identity, gzip;q=0.5", "identity;q=0.9, gzip;q=0.8, br;q=0.8", "identity, *;q=0",
            "*;q=0, identity;q=0.001",
            "identity;q=0.6, *;q=0.5",
        ])
    func prefersIdentity(_ field: String) { #expect(Self.choice(field) == .identity) }

    @Test(
        "Where a body as it is was excluded a coding is used whatever its length",
        arguments: [
            ("identity;q=0, gzip", ContentCoding.gzip), ("gzip, *;q=0", .gzip), ("br, *;q=0", .brotli),
            ("identity;q=0.000, *", .brotli), ("identity;q=0, *;q=0.1, br;q=0", .gzip),
        ])
    func excludesIdentity(_ field: String, _ coding: ContentCoding) {
        #expect(Self.choice(field) == CodingChoice(coding: coding, admitsIdentity: false))
    }

    @Test(
        "Nothing is chosen where all is excluded",
        arguments: [
            "identity;q=0", "*;q=0", "identity;q=0, deflate", "*;q=0, zstd", "identity;q=0, gzip;q=0, br;q=0",
            "gzip;q=0, br;q=0, *;q=0", "identity;q=0, br;q=0, gzip;q=0, *",
        ])
    func nothing(_ field: String) { #expect(Self.choice(field) == nil) }

    @Test(
        "A malformed field counts as none",
        arguments: [
            "gzip;", "gzip;q=2", "\"gzip\"", "=,br", "br, gzip;q=x", "identity;q=0;", "identity;q=0, (gzip)",
        ])
    func malformed(_ field: String) { #expect(Self.choice(field) == .identity) }

    @Test("Several lines are one list")
    func lines() {
        #expect(Self.choice("gzip;q=0.5", "br;q=0.4") == Self.gzip)
        #expect(Self.choice("identity;q=0", "deflate") == nil)
        #expect(Self.choice("br", "gzip;q=x") == .identity)
        #expect(Self.choice("", "br") == Self.brotli)
        #expect(Self.choice() == .identity)
    }

    @Test("A short body stays as it is, unless that was excluded")
    func lengths() {
        #expect(Self.brotli.coding(ofBytes: 1_023) == .identity)
        #expect(Self.brotli.coding(ofBytes: 1_024) == .brotli)
        #expect(CodingChoice(coding: .gzip, admitsIdentity: false).coding(ofBytes: 0) == .gzip)
        #expect(CodingChoice.identity.coding(ofBytes: .max) == .identity)
    }
}
