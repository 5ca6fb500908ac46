import Foundation

// Foundation's own readers, timed from outside: FoundationPass FILE, where a name that ends in .json is read as JSON.
@main
struct FoundationPass {
    static func main() throws {
        let path = CommandLine.arguments[1]
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let root =
            path.hasSuffix(".json")
            ? try JSONSerialization.jsonObject(with: data)
            : try PropertyListSerialization.propertyList(from: data, format: nil)
        guard let document = root as? [String: Any], document["Rows"] != nil else { fatalError("no rows in \(path)") }
    }
}
