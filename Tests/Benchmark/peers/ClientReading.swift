// Compiled together with the sources of DrilldownClient: prints the processor seconds that the client's reader and
// Foundation's take for the answer about a level, one line each for as many rounds as asked for.
import Foundation

@main
struct ClientReading {
    static func main() throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1]))
        for _ in 0..<(Int(CommandLine.arguments[2]) ?? 1) {
            let own = try seconds { _ = try LevelReader.read([UInt8](data)) }
            let theirs = try seconds { _ = try JSONSerialization.jsonObject(with: data) }
            print(own, theirs)
        }
    }

    /// The time includes freeing the result.
    static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = clock()
        try body()
        return Double(clock() - start) / Double(CLOCKS_PER_SEC)
    }
}
