internal import Bytes
internal import Heap
internal import Levels
internal import PropertyLists

/// Sends the bytes of documents to a sink, in pieces of about a megabyte.
enum DocumentOutput {
    static let pieceBytes = 1 << 20

    /// The content of a document that is written as a whole, without an older text.
    enum Whole {
        case tree(Level)
        case dictionary(PropertyListDictionary)
    }

    /// Writes a document as a whole, without an older text.
    static func write<Failure: Error>(
        _ document: Whole, syntax: PropertyListSyntax, to sink: (Span<UInt8>) throws(Failure) -> Void
    ) throws(SpliceError<Failure>) {
        switch syntax {
        case .xml: try write(document, writer: XMLPropertyListWriter(), to: sink)
        case .json: try write(document, writer: JSONPropertyListWriter(), to: sink)
        case .binary: try write(document, writer: BinaryPropertyListWriter(), to: sink)
        }
    }

    private static func write<Writer: WholeDocumentWriter & ~Copyable, Failure: Error>(
        _ document: Whole, writer: consuming Writer, to sink: (Span<UInt8>) throws(Failure) -> Void
    ) throws(SpliceError<Failure>) {
        switch document {
        case .tree(let level):
            var walk = TreeWalk(level: level, row: 0)
            while true {
                let isDone: Bool
                do throws(PropertyListError) { isDone = try !advance(&walk, writer: &writer) } catch {
                    throw .document(error)
                }
                if isDone { break }
                try send(writer.output.span, to: sink)
                writer.output.truncate(to: 0)
            }
        case .dictionary(let dictionary):
            do throws(PropertyListError) { try PropertyListValue.dictionary(dictionary).tell(to: &writer) } catch {
                throw .document(error)
            }
        }
        do throws(PropertyListError) { try writer.finish() } catch { throw .document(error) }
        try send(writer.output.span, to: sink)
    }

    /// Writes about another megabyte of a tree. Returns false at the end of the tree.
    private static func advance<Writer: WholeDocumentWriter & ~Copyable>(
        _ walk: inout TreeWalk, writer: inout Writer
    ) throws(PropertyListError) -> Bool {
        while writer.output.count < pieceBytes { if try !walk.step(to: &writer) { return false } }
        return true
    }

    /// Copies a range of a file unchanged.
    static func copy<Failure: Error>(
        _ range: Range<Int>, of input: DocumentInput, to sink: (Span<UInt8>) throws(Failure) -> Void
    ) throws(SpliceError<Failure>) {
        if case .memory(let bytes) = input {
            guard range.upperBound <= bytes.count else { throw .document(.notWhatWasRead) }
            return try send(bytes.span.extracting(range), to: sink)
        }
        guard MemoryBudget.hasRoom(forBuffer: min(pieceBytes, range.count)) else { throw .document(.outOfMemory) }
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: min(pieceBytes, range.count), alignment: 64)
        defer { unsafe block.deallocate() }
        var start = range.lowerBound
        while start < range.upperBound {
            let wanted = min(block.count, range.upperBound - start)
            let taken: Int
            do throws(PropertyListError) {
                taken = try unsafe input.read(
                    at: start, into: UnsafeMutableRawBufferPointer(rebasing: block[..<wanted]))
                guard taken > 0 else { throw .notWhatWasRead }
            } catch {
                throw .document(error)
            }
            let bytes = unsafe Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(rebasing: block[..<taken]))
            try send(bytes, to: sink)
            start += taken
        }
    }

    /// Writes the pieces of a spliced document.
    static func write<Failure: Error>(
        _ pieces: [SplicePiece], of document: DocumentText, syntax: FragmentWriter.Syntax,
        to sink: (Span<UInt8>) throws(Failure) -> Void
    ) throws(SpliceError<Failure>) {
        for piece in pieces {
            switch piece {
            case .copy(let units): try copy(document.bytes(units), of: document.input, to: sink)
            case .text(let text): try send(document.encoded(text).span, to: sink)
            case .shifted(let units, let shift):
                switch syntax {
                case .xml: try ShiftedText<XMLTokens>.write(units, shift: shift, of: document, to: sink)
                case .json: try ShiftedText<JSONTokens>.write(units, shift: shift, of: document, to: sink)
                }
            }
        }
    }

    static func send<Failure: Error>(
        _ bytes: Span<UInt8>, to sink: (Span<UInt8>) throws(Failure) -> Void
    ) throws(SpliceError<Failure>) {
        do throws(Failure) { try sink(bytes) } catch { throw .sink(error) }
    }
}

/// A writer of whole documents, from which the bytes written so far may be taken between events.
protocol WholeDocumentWriter: PropertyListConsumer, ~Copyable {
    var output: ByteBuffer { get set }
    mutating func finish() throws(PropertyListError)
}

extension XMLPropertyListWriter: WholeDocumentWriter {}
extension JSONPropertyListWriter: WholeDocumentWriter {}
extension BinaryPropertyListWriter: WholeDocumentWriter {}

/// A piece of a document that is made from an older document.
enum SplicePiece: Sendable, Equatable {
    /// Code units of the older document.
    case copy(Range<Int>)
    /// Code units of the older document, with the indentation of their lines changed.
    case shifted(Range<Int>, IndentShift)
    /// New text in UTF-8.
    case text([UInt8])
}

/// The change of the indentation of lines that move.
struct IndentShift: Sendable, Equatable {
    /// The prefixes of the moved lines before and after the move.
    let old, new: [UInt8]

    /// Returns the new indentation of a line. A line that does not begin with the old prefix keeps its indentation.
    func callAsFunction(_ indent: [UInt8]) -> [UInt8] {
        indent.starts(with: old) ? new + indent.dropFirst(old.count) : indent
    }
}

/// The pieces of a document, in the order in which they are written.
struct SplicePieces {
    private(set) var all: [SplicePiece] = []
    /// The place up to which the older document has been copied or omitted.
    private(set) var cursor = 0
    /// The current change of indentation inside an item that moves; otherwise nil.
    private(set) var shift: IndentShift?

    /// Copies the older document up to a place.
    mutating func copy(upTo end: Int) {
        guard end > cursor else { return }
        let range = cursor..<end
        cursor = end
        guard let shift, shift.old != shift.new else {
            if case .copy(let last) = all.last, last.upperBound == range.lowerBound {
                all[all.count - 1] = .copy(last.lowerBound..<end)
            } else {
                all.append(.copy(range))
            }
            return
        }
        all.append(.shifted(range, shift))
    }

    /// Omits the older document up to a place.
    mutating func pass(upTo end: Int) { cursor = max(cursor, end) }

    mutating func append(_ text: [UInt8]) {
        guard !text.isEmpty else { return }
        guard case .text(var last)? = all.last else { return all.append(.text(text)) }
        // The text is removed from the array first, so that it has only one owner and grows in place.
        all.removeLast()
        last += text
        all.append(.text(last))
    }

    /// The indentation in the new document for a line of the older document; nil if `indent` is nil.
    func shifted(_ indent: [UInt8]?) -> [UInt8]? { indent.map { shift?($0) ?? $0 } }

    /// A place in the older document where copying continues later.
    struct Place {
        fileprivate let cursor: Int
        fileprivate let shift: IndentShift?
    }

    /// Continues at another place in the older document. Returns the current place, for `resume`.
    mutating func leave(for place: Int, shift: IndentShift?) -> Place {
        defer { (cursor, self.shift) = (place, shift) }
        return Place(cursor: cursor, shift: self.shift)
    }

    mutating func resume(at place: Place) { (cursor, shift) = (place.cursor, place.shift) }
}

/// Copies values of a document with another indentation. Only the white space between values changes: texts, comments
/// and data stay as they are.
enum ShiftedText<Tokens: DocumentTokens & ~Copyable> {
    static func write<Failure: Error>(
        _ units: Range<Int>, shift: IndentShift, of document: DocumentText,
        to sink: (Span<UInt8>) throws(Failure) -> Void
    ) throws(SpliceError<Failure>) {
        var tokens: Tokens
        do throws(PropertyListError) { tokens = try Tokens(document) } catch { throw .document(error) }
        tokens.seek(units.lowerBound)
        var copied = units.lowerBound
        while copied < units.upperBound {
            let gapEnd: Int
            let gap: [UInt8]
            var next = units.upperBound..<units.upperBound
            do throws(PropertyListError) {
                if let token = try tokens.next(), token.range.lowerBound < units.upperBound { next = token.range }
                gapEnd = max(next.lowerBound, copied)
                gap = shifted(try document.utf8(copied..<gapEnd), by: shift)
            } catch {
                throw .document(error)
            }
            try DocumentOutput.send(document.encoded(gap).span, to: sink)
            let end = min(max(next.upperBound, gapEnd), units.upperBound)
            if end > gapEnd {
                try DocumentOutput.copy(document.bytes(afterMark: gapEnd..<end), of: document.input, to: sink)
            }
            copied = end
        }
    }

    /// Changes the indentation in the text between two values, which is white space, commas and comments. The lines
    /// within a comment stay as they are.
    private static func shifted(_ gap: [UInt8], by shift: IndentShift) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < gap.count {
            if let end = endOfMarkup(in: gap, at: index) {
                result += gap[index..<end]
                index = end
                continue
            }
            result.append(gap[index])
            index += 1
            guard gap[index - 1].isLineBreak, index < gap.count, !gap[index].isLineBreak else { continue }
            let indent = gap[index...].prefix(while: \.isBlank)
            result += shift(Array(indent))
            index = indent.endIndex
        }
        return result
    }

    /// The end of a comment or a processing instruction that begins at an index; nil if none begins there.
    private static func endOfMarkup(in gap: [UInt8], at index: Int) -> Int? {
        guard gap[index] == UInt8(ascii: "<") else { return nil }
        let isComment = gap[index...].starts(with: Array("<!--".utf8))
        let end = Array((isComment ? "-->" : "?>").utf8)
        var place = index + (isComment ? 4 : 2)
        while place < gap.count {
            if gap[place...].starts(with: end) { return place + end.count }
            place += 1
        }
        return gap.count
    }
}
