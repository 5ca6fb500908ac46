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
    let isXML: Bool

    init(_ bytes: [UInt8]) throws {
        let head = Array(bytes.prefix(64))
        isXML = TextEncoding.characters(of: head.span).first { $0 > 0x20 } == UInt8(ascii: "<")
        self.bytes = bytes
        document = try Self.tree(bytes, isXML: isXML)
    }

    init(_ text: String) throws { try self.init(Array(text.utf8)) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    static func tree(_ bytes: [UInt8], isXML: Bool) throws -> Level {
        var builder = TreeBuilder(isXML: isXML)
        try Document.read(bytes, isXML: isXML, into: &builder)
        return try builder.finish().document
    }

    /// Does edits that wait together; the text that comes out must mean the tree that the edits made.
    mutating func apply(_ edits: [Edit]) throws {
        var session = EditSession(document: document, syntax: isXML ? .xml : .json)
        for edit in edits { _ = try session.apply(EditBatch([edit], isExact: false)) }
        guard let file = session.changedFiles.first else { return }
        bytes = try Self.splice(bytes, file, isXML: isXML)
        document = try Self.tree(bytes, isXML: isXML)
        #expect(document.hash == file.new.hash, "read again, the text is another document")
    }

    static func splice(_ bytes: [UInt8], _ file: ChangedFile, isXML: Bool) throws -> [UInt8] {
        var written: [UInt8] = []
        let splice = DocumentSplice(old: file.old, new: file.new, draft: file.draft)
        try splice.write(.memory(bytes), syntax: isXML ? .xml : .json) { (piece: Span<UInt8>) in
            for index in piece.indices { written.append(piece[index]) }
        }
        return written
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
