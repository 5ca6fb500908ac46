/// The pages of a level, each loaded when it is asked for.
///
/// ```swift
/// for try await page in server.pages(at: ["Tracks"], matching: .limited(to: 500)) {
///     print("\(page.start + page.rows.count) of \(page.count)")
/// }
/// ```
public struct LevelPages: AsyncSequence, Sendable {
    /// A page: its rows, and where it begins.
    public typealias Element = Level

    let server: Server
    let path: ItemPath
    let query: LevelQuery

    /// An iterator that begins with the first page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(server: server, path: path, next: path.levelLink + query.encoded)
    }

    /// Loads one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let server: Server
        let path: ItemPath
        var next: String?

        /// The next page; nil after the last one.
        ///
        /// - Throws: `Problem` for what the server refuses and for what keeps the request from being answered;
        ///   `CancellationError`. The same page can be asked for again then.
        public mutating func next() async throws -> Level? {
            guard let target = next else { return nil }
            try path.check()
            let page = try await server.level(of: target)
            guard page.next != target else {
                throw Problem(
                    .unreadableAnswer, title: "Unreadable answer",
                    detail: "\(server.address) answered \(target) with a page whose next page is itself.",
                    instance: target)
            }
            next = page.next
            return page
        }
    }
}
