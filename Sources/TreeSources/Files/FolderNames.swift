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

/// The names in folders, each listed once, to find the names that were meant in place of missing ones.
struct FolderListings {
    private var folders: [String: [String]] = [:]
    /// How many more missing names are compared with others, which takes time for each name in the folder.
    private var comparisonsLeft = 20

    /// Whether one more missing name can be compared.
    mutating func takeComparison() -> Bool {
        comparisonsLeft -= 1
        return comparisonsLeft >= 0
    }

    mutating func names(in folder: String) -> [String] {
        if let names = folders[folder] { return names }
        let names = FolderNames.of(folder)
        folders[folder] = names
        return names
    }
}
