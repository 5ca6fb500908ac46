// Compiled together with the sources of DrilldownClient: prints the processor seconds that the client's reader, the
// reader with a type of an app for each row, and Foundation's reader take for the answer about a level, one line each for
// as many rounds as asked for.
import Foundation

@main
struct ClientReading {
    /// The fields that `client_part.py` writes.
    struct Item: Decodable {
        var title: String
        var subtitle: String
        var price: Double
        var tag: Int
        var text: String
    }

    static func main() throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1]))
        for _ in 0..<(Int(CommandLine.arguments[2]) ?? 1) {
            let own = try seconds { _ = try LevelReader.read([UInt8](data)) }
            let typed = try seconds {
                _ = try LevelReader.read([UInt8](data)).level.rows.map { try $0.decode(Item.self) }
            }
            let theirs = try seconds { _ = try JSONSerialization.jsonObject(with: data) }
            print(own, typed, theirs)
        }
    }

    /// The time includes freeing the result.
    static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = clock()
        try body()
        return Double(clock() - start) / Double(CLOCKS_PER_SEC)
    }
}
