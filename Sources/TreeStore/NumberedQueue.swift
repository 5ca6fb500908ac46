/// Elements with consecutive numbers; the oldest are removed first.
///
/// Adding, removing and finding an element take constant time.
public struct NumberedQueue<Element> {
    /// Those that were removed, as nil, then the elements.
    private var slots: [Element?] = []
    private var removed = 0
    /// The number of the first element, or of the next one that is added.
    public private(set) var first: Int

    /// Creates an empty queue.
    ///
    /// - Parameter first: the number of the first element.
    public init(first: Int = 0) { self.first = first }

    /// The number of elements.
    public var count: Int { slots.count - removed }

    /// The number after that of the last element.
    public var end: Int { first + count }

    /// The element with a number; nil if there is none.
    public subscript(number: Int) -> Element? {
        get { indices.contains(number) ? slots[number - first + removed] : nil }
        set { if indices.contains(number) { slots[number - first + removed] = newValue } }
    }

    /// The numbers of the elements.
    public var indices: Range<Int> { first..<end }

    /// The elements with a number and those after it; nil if there were elements with it that are removed.
    public func elements(from number: Int) -> [Element]? {
        guard number >= first else { return nil }
        return slots.dropFirst(number - first + removed).compactMap(\.self)
    }

    /// Adds an element with the next number.
    public mutating func append(_ element: Element) { slots.append(element) }

    /// Removes the first element; nil if there is none.
    @discardableResult
    public mutating func removeFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[removed].take()
        first += 1
        removed += 1
        // Half of the array has become useless, so that moving the rest is paid for.
        if removed >= 16, removed * 2 > slots.count {
            slots.removeFirst(removed)
            removed = 0
        }
        return element
    }
}

extension NumberedQueue: Sendable where Element: Sendable {}
