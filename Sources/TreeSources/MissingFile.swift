internal import Glibc

/// A file that is not there, and the names in its folder that may have been meant.
struct MissingFile {
    private let path, folder, name: String

    init(_ path: String) {
        self.path = path
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        name = parts.last.map(String.init) ?? path
        let parents = parts.dropLast().joined(separator: "/")
        folder = path.hasPrefix("/") ? "/" + parents : parents.isEmpty ? "." : parents
    }

    /// What is missing, and the name that differs in upper and lower case alone, if there is one.
    var sentence: String {
        guard let names = Self.names(in: folder) else { return "there is no folder \(folder); name a file that exists" }
        if let target = PathWalk.target(of: path) {
            return "it is a symbolic link to \(target), which does not exist; point it at a property list file"
        }
        let wanted = name.lowercased()
        guard let near = names.filter({ $0 != name && $0.lowercased() == wanted }).min() else {
            return "there is no such file in the folder \(folder); name a property list file that exists"
        }
        return "there is no such file, but the folder \(folder) holds '\(near)', whose name differs only in case"
    }

    /// The names in a folder; nil where there is no such folder.
    private static func names(in folder: String) -> [String]? {
        guard let directory = unsafe opendir(folder) else { return errno == ENOENT || errno == ENOTDIR ? nil : [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
                    unsafe field.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                })
        }
        return names
    }
}
