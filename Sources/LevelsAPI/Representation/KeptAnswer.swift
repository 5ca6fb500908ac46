import Bytes
import Levels

/// A cached answer, and what it shows.
///
/// It is a class, because each look-up copies an entry of the table.
final class KeptAnswer: Sendable {
    let target: [UInt8]
    let answer: RenderedAnswer
    /// The version of a level.
    let version: ContentHash?
    /// What the answer shows; nil if it must not be served for another publication.
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
