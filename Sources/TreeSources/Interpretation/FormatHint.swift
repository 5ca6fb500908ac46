internal import PropertyLists

/// The format that a document's name or media type suggests. The content can still show another format.
enum FormatHint: Equatable {
    /// Lines of cells; with a separator if the format has one.
    case cells(CSVReader.Separator?)
    /// JSON values on lines of their own.
    case jsonLines
    /// Any other format, which the content shows.
    case other

    /// The hint of a file's name.
    init(fileName: String) {
        let name = fileName.lowercased()
        self =
            if name.hasSuffix(".csv") { .cells(nil) } else if name.hasSuffix(".tsv") {
                .cells(.tab)
            } else if name
                .hasSuffix(".jsonl") || name.hasSuffix(".ndjson")
            { .jsonLines } else { .other }
    }

    /// The hint of a response: that of its media type, or of the URL's path if the media type does not name a format.
    ///
    /// - Parameter mediaType: in lower case, without parameters; nil for a response without `Content-Type`.
    init(url: String, mediaType: String?) {
        switch mediaType {
        case "text/csv", "application/csv": self = .cells(nil)
        case "text/tab-separated-values": self = .cells(.tab)
        case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines":
            self = .jsonLines
        case "application/json", "text/json", "application/xml", "text/xml", "application/x-plist",
            "application/x-bplist":
            self = .other
        case let type? where type.hasSuffix("+json") || type.hasSuffix("+xml"): self = .other
        default: self = FormatHint(fileName: String(url.prefix { $0 != "?" && $0 != "#" }))
        }
    }
}
