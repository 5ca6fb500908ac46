import DrilldownClient
import Foundation

/// The arguments of the test: `TestClient URL [name=value …]`.
struct Arguments {
    var configuration: Server.Configuration
    /// The levels to observe, by their keys with a slash between them; empty for the root.
    var levels = [ItemPath.root]
    /// The number of observers of each level.
    var observers = 1
    /// How long the first observer of each level takes for each update, in milliseconds.
    var slowness = 0
    var query = LevelQuery.all
    /// The detail to observe, by its keys with a slash between them; nil for none.
    var detail: ItemPath?

    init(_ arguments: [String]) throws {
        var arguments = arguments.dropFirst()
        configuration = try Server.Configuration(arguments.popFirst() ?? "")
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let (name, value) = (parts[0], parts.count > 1 ? parts[1] : "")
            switch name {
            case "levels":
                levels = value.split(separator: ",", omittingEmptySubsequences: false).map { Self.path(String($0)) }
            case "detail": detail = Self.path(value)
            case "token": configuration.editToken = value
            case "outbox": configuration.outboxFile = URL(fileURLWithPath: value)
            case "observers": observers = Int(value) ?? observers
            case "slowness": slowness = Int(value) ?? slowness
            case "timeout": configuration.timeout = Double(value) ?? configuration.timeout
            case "cache": configuration.cacheFolder = URL(fileURLWithPath: value)
            case "search": query = query.searching(for: value)
            case "outline": query = query.outlined()
            case "sort": query = query.sorted(by: .ascending(value))
            case "group": query = query.grouped(by: .field(value))
            case "limit": query = query.limited(to: Int(value) ?? 1)
            case "show": query = query.showing(.all)
            default: throw UnknownArgument(name: name)
            }
        }
    }

    /// The path with these keys, which have a slash between them.
    static func path(_ keys: String) -> ItemPath { ItemPath(keys.split(separator: "/").map(String.init)) }

    struct UnknownArgument: Error {
        let name: String
    }
}
