import Levels
import PropertyLists
import TreeSources

extension Settings {
    /// The document to serve.
    ///
    /// - Parameter onNotice: receives the notices of the source.
    /// - Throws: `UsageError` for an invalid value.
    func document(onNotice: @escaping SourceScheme.NoticeHandler) throws(UsageError) -> any TreeSource {
        // The serve command has exactly one source.
        try document(sources[0], onNotice)
    }

    /// The documents to check.
    ///
    /// - Throws: `UsageError` for an invalid value.
    func checkedDocuments() throws(UsageError) -> [any TreeSource] {
        guard sources.count(where: { $0 == "-" }) < 2 else {
            throw UsageError("standard input (-) can be read only once; name it once.")
        }
        return try sources.map { source throws(UsageError) in try document(source) { _ in } }
    }

    private func document(
        _ address: String, _ onNotice: @escaping SourceScheme.NoticeHandler
    ) throws(UsageError) -> any TreeSource {
        let scheme = SourceScheme.of(address)
        for (key, reason) in SourceScheme.all.flatMap(\.ownOptions)
        where scheme.ownOptions[key] == nil && !text(key).isEmpty {
            throw UsageError(
                "\(name(key)): \(reason), but '\(path: RemoteAddress.shown(address))' is \(scheme.noun).")
        }
        return try scheme.makeSource(address, self, onNotice)
    }

    /// The folder of the served document's assets; nil if it has none.
    var assetsFolder: String? { sources.first.flatMap { SourceScheme.of($0).assetsFolder($0) } }

    // MARK: How a document is read

    func interpretation() throws(UsageError) -> Interpretation {
        var interpretation = Interpretation(shape: try shape(), names: try names(), treeLimits: try treeLimits())
        interpretation.progress = progress
        return interpretation
    }

    func shape() throws(UsageError) -> PropertyListFile.Shape { try choice("Shape", PropertyListFile.Shape.self) }

    func names() throws(UsageError) -> StructuralNames {
        do {
            return text("Keys").isEmpty ? StructuralNames() : try StructuralNames(mapping: text("Keys"))
        } catch {
            throw UsageError("\(name("Keys")): \(error.reason).")
        }
    }

    func treeLimits() throws(UsageError) -> TreeLimits {
        TreeLimits(items: try number("MaxItems", 1...4_000_000_000))
    }

    /// - Throws: `UsageError` for an invalid value.
    func maximumBytes() throws(UsageError) -> Int { try number("MaxDocumentBytes", 1...1 << 50) }
}
