import Testing
import Threads

@testable import TestSupport
@testable import TreeSources

/// `Retry-After`, from the response of an origin to the next request.
@Suite("The pause that an origin asks for") struct OriginPauseTests {
    /// The wait after a failed request, in seconds.
    private func pause(_ fields: [String: String]) throws -> ClosedRange<Double> {
        let origin = try StubOrigin(script: [.document(items("A")), .status("503 Busy", fields)])
        let document = RemoteDocument(
            address: try RemoteAddress(origin()), limits: .init(bytes: 10_000), interval: .milliseconds(10))
        let watcher = document.makeWatcher()
        _ = try watcher.load(replacing: nil)
        let begun = ContinuousClock.now
        guard case .failed = watcher.nextReport() else { throw SourceError("origin", reason: "nothing failed") }
        let ended = ContinuousClock.now
        var waits = WaitSet()
        watcher.addWaits(to: &waits)
        let next = try #require(waits.deadline)
        return (next - ended) / .seconds(1)...(next - begun) / .seconds(1)
    }

    @Test("is kept, up to an hour", arguments: [("120", 120.0), ("3600", 3_600), ("3601", 3_600), ("99999", 3_600)])
    func pause(_ field: String, _ seconds: Double) throws {
        #expect(try pause(["Retry-After": field]).contains(seconds))
    }

    @Test(
        "is the usual one without the field, and for a field that is not a number",
        arguments: [nil, "", "0", "soon", "-5"])
    func noPause(_ field: String?) throws {
        #expect(try pause(field.map { ["Retry-After": $0] } ?? [:]).upperBound < 60)
    }
}
