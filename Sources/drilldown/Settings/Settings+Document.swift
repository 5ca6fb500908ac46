import Levels
import PropertyLists
import TreeSources

extension Settings {
    /// The document to serve: a file, or a document at a URL.
    ///
    /// - Parameter onNotice: receives the notices of the source.
    /// - Throws: `UsageError` for an invalid value.
    func document(onNotice: @escaping @Sendable (SourceNotice) -> Void) throws(UsageError) -> any TreeSource {
        // The serve command has exactly one source.
        let source = sources[0]
        if RemoteAddress.isMeant(by: source) {
            guard text("Values").isEmpty else {
                throw UsageError(
                    "\(name("Values")): only a settings page in a file has stored values, but '\(RemoteAddress.shown(source))' is a URL."
                )
            }
            return try remoteDocument(source, onNotice)
        }
        guard text("Cache").isEmpty else {
            throw UsageError(
                "\(name("Cache")): only the document of a URL is copied, but '\(path: source)' is a file.")
        }
        return try file(source)
    }

    /// The documents to check, standard input among them as `-`.
    ///
    /// - Throws: `UsageError` for an invalid value.
    func checkedDocuments() throws(UsageError) -> [CheckedDocument] {
        guard sources.count(where: { $0 == "-" }) < 2 else {
            throw UsageError("standard input (-) can be read only once; name it once.")
        }
        var documents: [CheckedDocument] = []
        for source in sources {
            if source == "-" {
                documents.append(
                    .standardInput(
                        StandardInput(interpretation: try interpretation(), maximumBytes: try maximumBytes())))
            } else if RemoteAddress.isMeant(by: source) {
                documents.append(.source(try remoteDocument(source) { _ in }))
            } else {
                documents.append(.source(try file(source)))
            }
        }
        return documents
    }

    private func file(_ path: String) throws(UsageError) -> PagedFile {
        if let refusal = Self.refusal(ofScheme: path) { throw refusal }
        var file = PropertyListFile(
            path: path, shape: try choice("Shape", PropertyListFile.Shape.self), names: try names(),
            treeLimits: try treeLimits(), maximumBytes: try maximumBytes(),
            pollInterval: .seconds(try number("PollInterval", 1...86_400)))
        file.progress = progress
        return PagedFile(file, valuesPath: text("Values").isEmpty ? nil : text("Values"))
    }

    /// Why a source that looks like a URL of another scheme (RFC 3986, section 3.1) is refused; nil for a path.
    private static func refusal(ofScheme source: String) -> UsageError? {
        guard let end = source.firstRange(of: "://") else { return nil }
        let scheme = source[..<end.lowerBound]
        guard scheme.first?.isLetter == true, scheme.allSatisfy({ $0.isLetter || $0.isNumber || "+-.".contains($0) })
        else { return nil }
        let shown = RemoteAddress.shown(source)
        if scheme.lowercased() == "file" {
            return UsageError("'\(path: shown)': name a file by its path: \(path: source[end.upperBound...]).")
        }
        return UsageError(
            "'\(path: shown)': a document must be a file or an http or https URL; \(scheme) is not supported.")
    }

    private func remoteDocument(
        _ source: String, _ onNotice: @escaping @Sendable (SourceNotice) -> Void
    ) throws(UsageError) -> RemoteDocument {
        let address: RemoteAddress
        do {
            address = try RemoteAddress(source)
        } catch {
            throw UsageError("\(error)")
        }
        return RemoteDocument(
            address,
            interpretation: try interpretation(),
            limits: RemoteDocument.Limits(
                bytes: try maximumBytes(), patience: .seconds(try number("FetchTimeout", 1...3_600))),
            interval: .seconds(try number("Refresh", 1...86_400)),
            copyPath: text("Cache").isEmpty ? nil : text("Cache"), onNotice: onNotice)
    }

    private func interpretation() throws(UsageError) -> Interpretation {
        var interpretation = Interpretation(
            shape: try choice("Shape", PropertyListFile.Shape.self), names: try names(), treeLimits: try treeLimits())
        interpretation.progress = progress
        return interpretation
    }

    private func names() throws(UsageError) -> StructuralNames {
        do {
            return text("Keys").isEmpty ? StructuralNames() : try StructuralNames(mapping: text("Keys"))
        } catch {
            throw UsageError("\(name("Keys")): \(error.reason).")
        }
    }

    private func treeLimits() throws(UsageError) -> TreeLimits {
        TreeLimits(items: try number("MaxItems", 1...4_000_000_000))
    }

    /// - Throws: `UsageError` for an invalid value.
    func maximumBytes() throws(UsageError) -> Int { try number("MaxDocumentBytes", 1...1 << 50) }
}
