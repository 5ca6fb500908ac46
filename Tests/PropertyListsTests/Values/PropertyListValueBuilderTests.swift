import Testing

@testable import PropertyLists

@Suite("The builder of a value")
struct PropertyListValueBuilderTests {
    /// Fills a builder with small containers, and counts how often it moved its values.
    private func built(_ count: Int, _ add: (inout PropertyListValueBuilder) -> Void)
        -> (value: PropertyListValue?, moves: Int)
    {
        let position = SourcePosition.byte(offset: 0)
        var builder = PropertyListValueBuilder()
        var moves = 0
        var place: UnsafePointer<PropertyListValue>?
        builder.beginArray(at: position)
        for _ in 0..<count {
            add(&builder)
            let now = unsafe builder.values.withUnsafeBufferPointer { $0.baseAddress }
            if unsafe now != place { moves += 1 }
            unsafe place = now
        }
        builder.endArray()
        return (builder.value, moves)
    }

    @Test("moves its values only when it needs more room, however many containers end")
    func linear() {
        let position = SourcePosition.byte(offset: 0)
        let one = PropertyListInteger(UInt64(1))
        let arrays = built(20_000) { builder in
            builder.beginArray(at: position)
            builder.scalar(.integer(one))
            builder.endArray()
        }
        #expect(arrays.value == .array(Array(repeating: .array([.integer(one)]), count: 20_000)))
        // The room doubles: 2^15 elements are enough.
        #expect(arrays.moves <= 16)
        let steps = built(40_000) { builder in
            builder.beginDictionary(at: position)
            builder.key("delete".utf8Span.span, at: position)
            builder.string("/detail/a".utf8Span.span)
            builder.endDictionary()
        }
        let step = PropertyListDictionary([.init(key: "delete", value: .string("/detail/a"))])
        #expect(steps.value == .array(Array(repeating: .dictionary(step), count: 40_000)))
        #expect(steps.moves <= 17)
    }
}
