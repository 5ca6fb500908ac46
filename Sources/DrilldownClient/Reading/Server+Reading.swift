import Foundation

extension Server {
    /// A level: its rows, or the first page of them.
    ///
    /// - Throws: `Problem` for what the server refuses and for what keeps the request from being answered;
    ///   `CancellationError`.
    public func level(at path: ItemPath, matching query: LevelQuery = .all) async throws -> Level {
        throw Problem(.unreadableAnswer, title: "", detail: "")
    }

    /// The detail of an item.
    ///
    /// - Throws: `Problem` for what the server refuses and for what keeps the request from being answered;
    ///   `CancellationError`.
    public func detail(at path: ItemPath) async throws -> Detail {
        throw Problem(.unreadableAnswer, title: "", detail: "")
    }
}
