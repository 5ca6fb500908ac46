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

    init(_ arguments: [String]) throws {
        var arguments = arguments.dropFirst()
        configuration = try Server.Configuration(arguments.popFirst() ?? "")
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let (name, value) = (parts[0], parts.count > 1 ? parts[1] : "")
            switch name {
            case "levels":
                levels = value.split(separator: ",", omittingEmptySubsequences: false).map { level in
                    ItemPath(level.split(separator: "/").map(String.init))
                }
            case "observers": observers = Int(value) ?? observers
            case "slowness": slowness = Int(value) ?? slowness
            case "timeout": configuration.timeout = Double(value) ?? configuration.timeout
            case "cache": configuration.cacheFolder = URL(fileURLWithPath: value)
            case "search": query = query.searching(for: value)
            case "outline": query = query.outlined()
            case "sort": query = query.sorted(by: .ascending(value))
            default: throw UnknownArgument(name: name)
            }
        }
    }

    struct UnknownArgument: Error {
        let name: String
    }
}
