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

    /// Walks to the end of the path, or as far as possible, and reports the steps.
    ///
    /// - Parameters:
    ///   - look: called with a directory and a name, before the name is looked up in the directory. Not called for the
    ///     name of an existing directory.
    ///   - pass: called with the path of each directory or file on the way, and with whether it is a directory.
    mutating func go(look: (_ directory: String, _ name: String) -> Void, pass: (String, _ isDirectory: Bool) -> Void) {
        while let name = names.popLast() {
            let full = directory == "/" ? "/" + name : directory + "/" + name
            var place = name == ".." ? .directory : Self.place(full)
            if place != .directory {
                // The name is looked up again after this call, because the result may have changed before the call.
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
