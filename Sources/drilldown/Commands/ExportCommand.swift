import Glibc
import Levels
import PropertyLists
import TreeSources

/// `drilldown export`: writes a document to a file.
enum ExportCommand {
    /// Loads the document and writes it as one file. The level of a mounted file is written at the item that mounts the
    /// file.
    ///
    /// - Returns: the exit status.
    /// - Throws: `UsageError` if more than a source and a file are named.
    static func run(_ settings: Settings) throws(UsageError) -> Int32 {
        guard settings.sources.count <= 2 else {
            throw UsageError(
                fact: "export takes a document and a file, not \(settings.sources.count) arguments.",
                hint: "For example: drilldown export sqlite:Music.db Data.plist")
        }
        let source = try settings.document { _ in }
        let path = settings.sources.dropFirst().first
        let syntax = settings.exportSyntax ?? (path?.lowercased().hasSuffix(".json") == true ? .json : .xml)
        do throws(SourceError) {
            let document = try source.loadDocument().tree.document
            let output = try ExportedFile(path)
            do throws(SpliceError<SourceError>) {
                try DocumentSplice(old: document, new: document, draft: nil).write(
                    .memory([]), syntax: syntax
                ) {
                    (piece: Span<UInt8>) throws(SourceError) in try output.write(piece)
                }
            } catch {
                switch error {
                case .document(let error): throw SourceError(source.name, reason: error.reason, path: error.path)
                case .sink(let error): throw error
                }
            }
            try output.finish()
            return 0
        } catch {
            Log.put("\(error)", severity: .error)
            return 1
        }
    }
}

extension TreeSource {
    /// Loads the source for a copy of all its items.
    ///
    /// - Throws: `SourceError` also for the tables of a database, whose rows are not loaded.
    func loadDocument() throws(SourceError) -> LoadedTree {
        let loaded = try load(replacing: nil)
        if loaded.rows?.hasDocuments == false { throw SourceError(name, reason: RowRefusal.noDocument) }
        return loaded
    }
}

/// Standard output, or a new file that gets its name only when it is complete.
private final class ExportedFile {
    private let path: String?
    private let temporary: String
    private var descriptor = STDOUT_FILENO

    init(_ path: String?) throws(SourceError) {
        self.path = path
        temporary = (path ?? "") + ".exporting-\(getpid())"
        guard path != nil else { return }
        descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure() }
    }

    deinit {
        guard path != nil, descriptor >= 0 else { return }
        close(descriptor)
        _ = unsafe unlink(temporary)
    }

    private func failure() -> SourceError {
        SourceError(
            path ?? "standard output", reason: "it cannot be written: \(unsafe String(cString: strerror(errno)))")
    }

    func write(_ bytes: Span<UInt8>) throws(SourceError) {
        var start = 0
        while start < bytes.count {
            let written = unsafe bytes.extracting(start..<bytes.count).withUnsafeBytes { rest in
                unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            }
            guard written > 0 else {
                if written < 0, errno == EINTR { continue }
                throw failure()
            }
            start += written
        }
    }

    func finish() throws(SourceError) {
        guard let path else { return }
        guard fsync(descriptor) == 0, unsafe rename(temporary, path) == 0 else { throw failure() }
        close(descriptor)
        descriptor = -1
    }
}
