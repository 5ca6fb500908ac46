internal import Bytes
internal import Heap
internal import Levels
internal import PropertyLists

/// Sends the bytes of documents to a sink, about a megabyte at once.
enum DocumentOutput {
    static let pieceBytes = 1 << 20

    /// A document that is written anew.
    enum Whole {
        case tree(Level)
        case dictionary(PropertyListDictionary)
    }

    /// Writes a document anew.
    static func write<Failure: Error>(
        _ document: Whole, syntax: PropertyListSyntax, to sink: (Span<UInt8>) throws(Failure) -> Void
    ) throws(SpliceError<Failure>) {
        switch syntax {
        case .xml: try write(document, XMLPropertyListWriter(), to: sink)
        case .json: try write(document, JSONPropertyListWriter(), to: sink)
        case .binary: try write(document, BinaryPropertyListWriter(), to: sink)
        }
    }

    private static func write<Writer: WholeDocumentWriter & ~Copyable, Failure: Error>(
        _ document: Whole, _ writer: consuming Writer, to sink: (Span<UInt8>) throws(Failure) -> Void
    ) throws(SpliceError<Failure>) {
        switch document {
        case .tree(let level):
            var walk = TreeWalk(level, row: 0)
            while true {
                let isDone: Bool
                do throws(PropertyListError) { isDone = try !advance(&walk, &writer) } catch { throw .document(error) }
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

    /// Writes about a megabyte more of a tree; false at its end.
    private static func advance<Writer: WholeDocumentWriter & ~Copyable>(
        _ walk: inout TreeWalk, _ writer: inout Writer
    ) throws(PropertyListError) -> Bool {
        while writer.output.count < pieceBytes { if try !walk.step(to: &writer) { return false } }
        return true
    }

    /// Copies a file as it is.
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
        _ pieces: [SplicePiece], of document: DocumentText, _ syntax: FragmentWriter.Syntax,
        to sink: (Span<UInt8>) throws(Failure) -> Void
    ) throws(SpliceError<Failure>) {
        for piece in pieces {
            switch piece {
            case .copy(let units): try copy(document.bytes(units), of: document.input, to: sink)
            case .text(let text): try send(document.encoded(text).span, to: sink)
            case .shifted(let units, let shift):
                switch syntax {
                case .xml: try ShiftedText<XMLTokens>.write(units, shift, of: document, to: sink)
                case .json: try ShiftedText<JSONTokens>.write(units, shift, of: document, to: sink)
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

/// A writer of whole documents, whose bytes may be taken out between events.
protocol WholeDocumentWriter: PropertyListConsumer, ~Copyable {
    var output: ByteBuffer { get set }
    mutating func finish() throws(PropertyListError)
}

extension XMLPropertyListWriter: WholeDocumentWriter {}
extension JSONPropertyListWriter: WholeDocumentWriter {}
extension BinaryPropertyListWriter: WholeDocumentWriter {}
