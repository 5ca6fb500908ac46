import Foundation
import Testing

@Suite struct DocumentationTests {
    @Test func `the tests that the table of libraries names exist`() throws {
        let root = RunningServer.documents.deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent("Sources/drilldown/drilldown.docc/SwiftClient.md"), encoding: .utf8)
        let table = try #require(page.firstRange(of: "| | drilldown |")).lowerBound
        let rows = page[table...].prefix { $0 != "#" }.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2)
        let files = FileManager.default.enumerator(atPath: root.appendingPathComponent("Tests").path)
        let names = Set((files?.compactMap { $0 as? String } ?? []).compactMap { $0.split(separator: "/").last })
        for row in rows {
            let cell = row.split(separator: "|")[1]
            let tests = cell.matches(of: /`([A-Za-z_.]+)`/).map(\.1)
            #expect(cell.hasPrefix(" yes: ") && !tests.isEmpty, "\(row)")
            for test in tests { #expect(names.contains(test.hasSuffix(".py") ? test : test + ".swift"), "\(test)") }
        }
        #expect(rows.count == 12)
    }
}
