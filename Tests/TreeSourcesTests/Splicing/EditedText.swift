import Levels
import PropertyLists
import Testing
import TreeSources

@testable import TestDocuments

/// A document's bytes, edited as the service edits its file.
struct EditedText {
    private(set) var bytes: [UInt8]
    /// The document that the bytes mean.
    private(set) var document: Level
    let format: Value.Format

    init(_ bytes: [UInt8]) throws {
        let head = Array(bytes.prefix(64))
        let isXML = TextEncoding.characters(of: head.span).first { $0 > 0x20 } == UInt8(ascii: "<")
        format = head.starts(with: "bplist".utf8) ? .binary : isXML ? .xml : .json
        self.bytes = bytes
        document = try Self.tree(bytes, format)
    }

    init(_ text: String) throws { try self.init(Array(text.utf8)) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    static func tree(_ bytes: [UInt8], _ format: Value.Format) throws -> Level {
        var builder = TreeBuilder(isXML: format == .xml)
        try format.read(bytes, into: &builder)
        return try builder.finish().document
    }

    /// What becomes of the file by some edits, which are done one after the other; nil if nothing does.
    func change(by edits: [Edit]) throws -> ChangedFile? {
        var session = EditSession(document, syntax: format.fileSyntax)
        for edit in edits { _ = try session.apply(EditBatch([edit], isExact: false)) }
        return session.changedFiles.first
    }

    /// Does edits that wait together; the text that comes out must mean the tree that the edits made.
    mutating func apply(_ edits: [Edit]) throws {
        guard let file = try change(by: edits) else { return }
        bytes = try Self.splice(bytes, file, format)
        document = try Self.tree(bytes, format)
        #expect(document.hash == file.new.hash, "read again, the text is another document")
    }

    static func splice(_ bytes: [UInt8], _ file: ChangedFile, _ format: Value.Format) throws -> [UInt8] {
        var written: [UInt8] = []
        let splice = DocumentSplice(old: file.old, new: file.new, provenance: file.provenance)
        try splice.write(.memory(bytes), syntax: format.documentSyntax) { (piece: Span<UInt8>) in
            for index in piece.indices { written.append(piece[index]) }
        }
        return written
    }
}

extension Value.Format {
    fileprivate var fileSyntax: FileSyntax {
        switch self {
        case .xml: .xml
        case .json: .json
        case .binary: .binary
        }
    }

    fileprivate var documentSyntax: PropertyListSyntax {
        switch self {
        case .xml: .xml
        case .json: .json
        case .binary: .binary
        }
    }
}

extension Edit {
    private static func path(_ path: String) throws -> ItemPath { try ItemPath(Array(path.utf8).span) }

    static func insert(
        _ json: String, _ path: String, _ position: RowPosition = .last, section: Int? = nil
    ) throws -> Edit {
        .insert(
            try PropertyListValue(json: Array(json.utf8)), below: try Self.path(path), at: position, section: section)
    }

    static func patch(_ json: String, _ path: String) throws -> Edit {
        .patch(try PropertyListValue(json: Array(json.utf8)), at: try Self.path(path))
    }

    static func put(_ json: String, _ path: String) throws -> Edit {
        .put(try PropertyListValue(json: Array(json.utf8)), at: try Self.path(path), onlyIfNew: false)
    }

    static func move(_ path: String, below owner: String, _ position: RowPosition = .last) throws -> Edit {
        .move(try Self.path(path), below: try Self.path(owner), at: position, section: nil)
    }

    static func delete(_ path: String) throws -> Edit { .delete(try Self.path(path)) }
}
