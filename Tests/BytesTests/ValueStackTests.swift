import Bytes
import Testing

/// A stack of plain values.
@Suite struct ValueStackTests {
    @Test("Values are appended, replaced and discarded, with their memory or without it", arguments: [true, false])
    func edits(shrinks: Bool) {
        var stack = ValueStack<Pair>()
        for number in 0..<10_000 { stack.append(Pair(number)) }
        stack[4_999] = Pair(7)
        if shrinks { stack.shrink(to: 5_000) } else { stack.truncate(to: 5_000) }
        for number in 5_000..<5_003 { stack.append(Pair(number)) }
        let values = stack.span.indices.map { stack[$0] }
        #expect(values == (0..<4_999).map(Pair.init) + [Pair(7)] + (5_000..<5_003).map(Pair.init))
        if shrinks { stack.shrink(to: 0) } else { stack.truncate(to: 0) }
        stack.append(Pair(1))
        let (count, first) = (stack.count, stack[0])
        #expect(count == 1 && first == Pair(1))
    }

    private struct Pair: BitwiseCopyable, Equatable {
        let long: Int
        let short: UInt8

        init(_ number: Int) { (long, short) = (number, UInt8(truncatingIfNeeded: number)) }
    }
}
