/// A path of an endpoint as OpenAPI describes it.
struct PathTemplate {
    let path: String
    /// The names of its parameters.
    var parameters: [String] = []
    /// What distinguishes the operations at this path from those at the endpoint's other paths.
    var suffix = ""
    /// The number of keys of an item in it.
    var keys = 0

    /// How many keys of an item's path are described.
    ///
    /// A parameter in a path of OpenAPI is one segment, and a generated client percent-encodes a slash in it, so each
    /// depth needs a path of its own. Five keys lead to every item of `Data/Data.plist`.
    private static let mostKeys = 5

    /// All paths of an endpoint.
    static func all(of endpoint: Endpoint) -> [PathTemplate] {
        let name = String(describing: endpoint.name)
        switch name {
        case "/assets": return [PathTemplate(path: "/assets/{file}", parameters: ["file"])]
        case "/problems":
            return [
                PathTemplate(path: "/problems/"),
                PathTemplate(path: "/problems/{kind}", parameters: ["kind"], suffix: "OfKind", keys: 1),
            ]
        // Only the web client's page names its files.
        case "/client": return []
        default: break
        }
        guard endpoint.path != .nothing else { return [PathTemplate(path: name)] }
        let root = PathTemplate(path: name == "/document" ? name : name + "/")
        return [root]
            + (1...mostKeys).map { count in
                let parameters = (1...count).map { "key\($0)" }
                let path = name + parameters.map { "/{\($0)}" }.joined()
                return PathTemplate(path: path, parameters: parameters, suffix: "\(count)", keys: count)
            }
    }
}
