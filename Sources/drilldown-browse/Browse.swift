import DrilldownClient

/// The terminal client.
@main
struct Browse {
    static func main() async throws {
        guard let address = CommandLine.arguments.dropFirst().first else { return }
        let level = try await Server(address).level(at: .root)
        for row in level.rows { print(row.title) }
    }
}
