import Glibc
import HTTPServer

/// Parts of a file, and the text between them, read while they are sent.
///
/// A file that changes meanwhile is not sent on: the connection is cut, so that no client takes the mixture for the file.
final class AssetBody: BodyStream {
    enum Piece {
        case text([UInt8])
        case file(Range<Int>)

        var count: Int {
            switch self {
            case .text(let text): text.count
            case .file(let range): range.count
            }
        }
    }

    private let file: AssetFile
    private let pieces: [Piece]
    /// Held while the file is open.
    private let permit: OpenAssets.Permit
    private var number = 0
    /// How much of the current piece has been sent.
    private var sent = 0

    init(_ file: AssetFile, _ pieces: [Piece], _ permit: OpenAssets.Permit) {
        self.file = file
        self.pieces = pieces
        self.permit = permit
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while number < pieces.count, sent == pieces[number].count {
            number += 1
            sent = 0
        }
        guard number < pieces.count else { return 0 }
        let count = min(buffer.count, pieces[number].count - sent)
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        switch pieces[number] {
        case .text(let text): unsafe room.copyBytes(from: text[sent..<sent + count])
        case .file(let range):
            guard unsafe file.read(into: room, at: range.lowerBound + sent) == count else { return -1 }
        }
        sent += count
        return count
    }
}
