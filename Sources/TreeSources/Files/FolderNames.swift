internal import Glibc

/// The names in a folder.
enum FolderNames {
    /// The maximum number of names that are kept, because a folder may hold millions.
    private static let most = 10_000

    /// The first names that a folder gives, without `.` and `..`, in no order; none if it cannot be read (`readdir(3)`).
    ///
    /// - Parameter isWanted: which names are kept and count; by default all.
    static func of(_ folder: String, where isWanted: (String) -> Bool = { _ in true }) -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while names.count < most, let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
                unsafe field.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != "..", isWanted(name) { names.append(name) }
        }
        return names
    }
}
