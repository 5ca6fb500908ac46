internal import Files
internal import Glibc

/// Resolves a path to its file, name by name, through symbolic links at any depth.
struct PathWalk {
    /// The kind of file that a name refers to.
    enum Place { case directory, link, other, nothing }

    /// The directory reached so far, by a path without symbolic links.
    private var directory: String
    /// The names still to be looked up, the next one last.
    private var names: [String] = []
    private var links = 0

    /// The kernel's limit of links (path_resolution(7)).
    private static let mostLinks = 40

    init(_ path: String) {
        directory = path.isAbsolutePath ? "/" : "."
        push(path)
    }

    private mutating func push(_ path: String) {
        names.append(contentsOf: path.pathNames.filter { $0 != "." }.reversed().map(String.init))
    }

    /// Walks to the end, or as far as possible, and reports each step before it is taken.
    ///
    /// - Parameters:
    ///   - look: receives a directory and the name that is about to be looked up in it, if the result may change.
    ///   - pass: receives a directory or file that was found, and whether it is a directory.
    mutating func go(look: (_ directory: String, _ name: String) -> Void, pass: (String, _ isDirectory: Bool) -> Void) {
        while let name = names.popLast() {
            let full = directory == "/" ? "/" + name : directory + "/" + name
            var place = name == ".." ? .directory : Self.place(full)
            if place != .directory {
                // The place is looked up again after this call; otherwise a change in between would be lost.
                look(directory, name)
                place = Self.place(full)
            }
            switch place {
            case .directory:
                directory = full
                pass(full, true)
            case .link:
                guard links < Self.mostLinks, let target = Self.target(of: full) else { return }
                links += 1
                if target.isAbsolutePath { directory = "/" }
                push(target)
            case .other:
                pass(full, false)
                return
            case .nothing: return
            }
        }
    }

    private static func place(_ path: String) -> Place {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return .nothing }
        return switch status.st_mode & S_IFMT {
        case S_IFDIR: .directory
        case S_IFLNK: .link
        default: .other
        }
    }

    /// The target of a symbolic link; nil for anything else.
    static func target(of link: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }
}
