internal import Bytes
internal import Files
internal import Glibc
internal import Levels
internal import PropertyLists

/// The files of a settings bundle at which a load has looked, except for the root page. Each file has its fingerprint
/// from just before the look.
struct BundleFiles: Equatable {
    /// The endings of the names that matter in the folder and in the folders of strings.
    static let endings: [Substring] = ["plist", "lproj", "strings"]

    /// The folder of the bundle.
    let folder: String
    /// The names of the folders of strings, in alphabetical order.
    let languageFolders: [String]
    /// The paths of the files in the folder, in the order in which the load looked at them; a file need not exist.
    private var names: [String] = []
    private var states: [Fingerprint]

    init(folder: String) {
        self.folder = folder
        languageFolders = Self.languageFolders(in: folder)
        states = [Self.state(of: languageFolders)]
    }

    /// Compares the files, but not their fingerprints.
    static func == (one: BundleFiles, other: BundleFiles) -> Bool {
        one.folder == other.folder && one.languageFolders == other.languageFolders && one.names == other.names
    }

    /// The fingerprint of the files as the load saw them.
    var fingerprint: Fingerprint? { Fingerprint(of: states) }
    var currentFingerprint: Fingerprint? {
        Fingerprint(of: [Self.state(of: Self.languageFolders(in: folder))] + names.map(state))
    }

    private func state(of name: String) -> Fingerprint {
        FileIdentity(path: path(of: name)).map(Fingerprint.init) ?? .missing
    }

    private static func state(of names: [String]) -> Fingerprint {
        let text = names.joined(separator: "/")
        return Fingerprint([ContentHash.short(of: text.utf8Span.span)])
    }

    /// The path of a file, for messages and for system calls.
    func path(of name: String) -> String { folder == "." ? name : folder == "/" ? "/" + name : "\(folder)/\(name)" }

    /// Opens a file of the folder. Returns nil if the file does not exist.
    ///
    /// - Throws: `SourceError` if the file cannot be read. The error names the file by `name`.
    mutating func open(_ name: String) throws(SourceError) -> DocumentFile? {
        names.append(name)
        states.append(state(of: name))
        return try opened(name)
    }

    private func opened(_ name: String) throws(SourceError) -> DocumentFile? {
        do throws(ContainmentError) {
            return DocumentFile(takingOver: try ContainedFolder(path: folder).open(name).release())
        } catch {
            if error == .missing { return nil }
            throw SourceError(name, reason: Self.reason(error))
        }
    }

    private static func reason(_ error: ContainmentError) -> String {
        switch error {
        case .unreadable(let code):
            "the file cannot be opened (\(ErrorNumber(code))); give the server permission to read it"
        case .notRegular: "it is not a file"
        default: "the path leads out of the folder of the bundle; move the file into that folder"
        }
    }

    private static func languageFolders(in folder: String) -> [String] {
        FolderNames.of(folder) { $0.hasSuffix(".lproj") }.sorted()
    }
}
