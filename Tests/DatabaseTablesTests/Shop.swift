import Levels
import Testing

@testable import DatabaseTables

/// Returns the item at a path; nil if nothing is found there.
func item(_ path: String, in source: any RowSource) throws -> Item? {
    guard case .found(let item) = try source.find(try ItemPath(path.utf8Span.span)) else { return nil }
    return item
}

/// Checks the detail of the first album of the shop that the tests make in each database.
func checkAlbum(in rows: TableRows) throws {
    let reading = try rows.begin()
    defer { reading.end() }
    let detail = try reading.detail(of: try #require(try item("/Album/a", in: reading)))
    #expect(detail.previous == nil)
    #expect(detail.next.map { $0.level.title($0.row) } == "Second")
    #expect(detail.count == 4)
    func key(_ text: String) -> [UInt8] { Array(text.utf8) }
    #expect(
        detail.links
            == RecordLinks(
                canonical: [key("Album"), key("a")],
                references: [
                    .init(name: "Artist", title: key("Åse"), path: [key("Artist"), key("1")]),
                    .init(name: "Guest", title: key("Bo"), path: [key("Artist"), key("10")]),
                ]))
}
