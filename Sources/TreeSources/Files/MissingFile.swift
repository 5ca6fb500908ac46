internal import Bytes
internal import Files
internal import Glibc
internal import PropertyLists

/// A missing file: the first part of its path that does not exist, and the name that was probably meant.
struct MissingFile {
    private let path: String
    /// The folder that exists, as an absolute path.
    private let folder: String
    /// The name that is missing in it.
    private let name: String
    private let isFolder: Bool

    init(_ path: String) {
        self.path = path
        var folder = path.isAbsolutePath ? "/" : "."
        var parts = path.pathNames.map(String.init)[...]
        while parts.count > 1, let next = parts.first, Self.isFolder(Self.join(folder, next)) {
            folder = Self.join(folder, next)
            parts.removeFirst()
        }
        self.folder = path.isAbsolutePath ? folder : RealPath.of(folder)
        name = parts.first ?? path
        isFolder = parts.count > 1
    }

    /// The message: what is missing, and a similar name in the same folder, if there is one.
    var sentence: String {
        if let target = PathWalk.target(of: path) {
            return "it is a symbolic link to \(path: target), which does not exist; point it at a property list file"
        }
        let near = nearestName
        if isFolder {
            let missing = "the folder \(path: Self.join(folder, name)) does not exist"
            return near.map { "\(missing). Did you mean '\(path: $0)'?" } ?? "\(missing); name a file that exists"
        }
        guard let near else {
            return "the file does not exist in the folder \(path: folder); name a property list file that exists"
        }
        guard near.lowercased() == name.lowercased() else {
            return "the file does not exist in the folder \(path: folder). Did you mean '\(path: near)'?"
        }
        return
            "the file does not exist, but the folder \(path: folder) contains '\(path: near)', whose name differs only in case"
    }

    /// The name in the folder that was probably meant; nil if none is similar.
    private var nearestName: String? { Self.nearest(to: name, among: FolderNames.of(folder)) }

    /// The same, with the names of folders that were listed before.
    func nearestName(in listings: inout FolderListings) -> String? {
        Self.nearest(to: name, among: listings.names(in: folder))
    }

    /// The name that differs only in case, else one with a similar spelling, else one with another extension, else one
    /// with this prefix.
    private static func nearest(to name: String, among names: [String]) -> String? {
        let wanted = name.lowercased()
        let names = names.filter { $0 != name }.sorted()
        return names.first { $0.lowercased() == wanted } ?? EditDistance.nearest(to: name, among: names)
            ?? names.first { stem($0) == stem(name) } ?? names.first { $0.lowercased().hasPrefix(wanted) }
    }

    /// The name in lower case without its extension.
    private static func stem(_ name: String) -> Substring {
        let name = name.lowercased()
        guard let point = name.lastIndex(of: "."), point > name.startIndex else { return name[...] }
        return name[..<point]
    }

    private static func join(_ folder: String, _ name: String) -> String {
        folder == "." ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
