import Bytes
import Levels

/// An answer that is kept, and what it shows.
///
/// A class, because each look-up copies what the table holds.
final class KeptAnswer: Sendable {
    let target: [UInt8]
    let answer: RenderedAnswer
    /// The version of a level.
    let version: ContentHash?
    /// Nil if the answer is not served under another publication.
    let shown: ShownHashes?

    /// The approximate memory use, in bytes.
    var cost: Int { answer.cost + target.count }

    init(_ answer: RenderedAnswer, of version: ContentHash?, for target: Span<UInt8>, showing content: ShownContent?) {
        self.target = Array(copying: target)
        self.answer = answer
        self.version = version
        shown = content.map(ShownHashes.init)
    }
}
