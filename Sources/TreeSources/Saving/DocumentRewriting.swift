internal import Bytes
internal import Levels
internal import PropertyLists

/// Writes a whole document anew, in one of the three syntaxes.
enum DocumentRewriting {
    private static let pieceBytes = 256 << 10

    /// Writes a tree's document.
    ///
    /// - Parameter document: the level whose one row is the root item.
    /// - Throws: `SaveError`.
    static func write(
        _ document: Level, as syntax: PropertyListSyntax, to file: inout FileReplacement
    ) throws(SaveError) {
        let walk = TreeWalk(document, row: 0)
        switch syntax {
        case .xml: try write(walk, by: XMLPropertyListWriter(), to: &file)
        case .json: try write(walk, by: JSONPropertyListWriter(), to: &file)
        case .binary: try write(walk, by: BinaryPropertyListWriter(), to: &file)
        }
    }

    private static func write<Writer: DrainedWriter & ~Copyable>(
        _ walk: consuming TreeWalk, by writer: consuming Writer, to file: inout FileReplacement
    ) throws(SaveError) {
        var isMore = true
        while isMore {
            do throws(PropertyListError) {
                isMore = try walk.step(to: &writer)
                if !isMore { try writer.finish() }
            } catch {
                throw .failed("the edited document cannot be written: \(error.reason)")
            }
            guard !isMore || writer.pending >= pieceBytes else { continue }
            do throws(FileReplacementError) {
                try writer.drain(to: &file)
            } catch {
                throw SaveError(error)
            }
        }
    }
}

/// A writer whose output can be moved to a file while it writes.
private protocol DrainedWriter: PropertyListConsumer, ~Copyable {
    mutating func finish() throws(PropertyListError)
    /// The number of bytes that have not been moved.
    var pending: Int { get }
    mutating func drain(to file: inout FileReplacement) throws(FileReplacementError)
}

extension XMLPropertyListWriter: DrainedWriter {
    var pending: Int { output.count }

    mutating func drain(to file: inout FileReplacement) throws(FileReplacementError) {
        try file.append(output.span)
        output.truncate(to: 0)
    }
}

extension JSONPropertyListWriter: DrainedWriter {
    var pending: Int { output.count }

    mutating func drain(to file: inout FileReplacement) throws(FileReplacementError) {
        try file.append(output.span)
        output.truncate(to: 0)
    }
}

extension BinaryPropertyListWriter: DrainedWriter {
    var pending: Int { output.count }

    mutating func drain(to file: inout FileReplacement) throws(FileReplacementError) {
        try file.append(output.span)
        output.truncate(to: 0)
    }
}
