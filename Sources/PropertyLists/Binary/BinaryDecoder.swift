import Bytes

/// Walks through a binary property list, one event at a time.
///
/// The walk has its own stack. So the nesting is bounded by the limit, and not by the thread's stack.
struct BinaryDecoder: ~Copyable {
    let layout: BinaryLayout
    let limits: PropertyListLimits
    let allowance: BinaryAllowance
    private var values = 0
    private var textBytes = 0

    var objects: DocumentPages
    private var table: DocumentPages
    private var texts: BinaryTextCache
    private var scalars: BinaryScalarCache
    /// The highest number so far of an object without children. Writers number these objects in the order of their
    /// first appearance. So an object up to this number has probably been seen before.
    private var newest = -1
    /// The text of the last event, if this text had to be copied or converted.
    var scratch: ByteBuffer
    /// The last UTF-16 text, in contiguous memory.
    var units: ByteBuffer

    var current = Container.outside
    var outer: [Container] = []
    /// The byte offset of the last event's object.
    private(set) var position = 0
    /// The storage of the text or bytes of the last event.
    var source = Source.scratch
    /// The number of bytes of `text`. It is kept, because `text.count` would borrow the whole decoder, which costs
    /// time.
    var textCount = 0

    /// The storage of a text.
    enum Source {
        case pages(place: Int)
        case scratch
        case cache(slot: Int)
    }

    init(input: DocumentInput, limits: PropertyListLimits) throws(PropertyListError) {
        let layout = try BinaryLayout(input)
        let objects = try DocumentPages(input: input, range: layout.objects)
        let table = try DocumentPages(input: input, range: layout.table)
        let texts = try BinaryTextCache(objectCount: layout.objectCount)
        self.layout = layout
        self.limits = limits
        allowance = BinaryAllowance(documentBytes: input.size, limits: limits)
        self.objects = objects
        self.table = table
        self.texts = texts
        scalars = BinaryScalarCache(objectCount: layout.objectCount)
        scratch = ByteBuffer()
        units = ByteBuffer()
    }

    /// The text or bytes of the last event; valid until the next event.
    var text: Span<UInt8> {
        @_lifetime(borrow self) @inline(__always)
        get {
            switch source {
            case .pages(let place): objects.span(at: place, count: textCount)
            case .scratch: scratch.span
            case .cache(let slot): texts.text(in: slot)
            }
        }
    }

    mutating func root() throws(PropertyListError) -> Event { try value(of: layout.root) }

    /// Returns the next event; nil at the end of the document.
    mutating func next() throws(PropertyListError) -> Event? {
        guard current.left > 0 else { return close() }
        let width = layout.referenceWidth
        if current.isDictionary, !current.awaitsValue {
            let object = Int(truncatingIfNeeded: try objects.integer(at: current.key, width: width))
            guard UInt(bitPattern: object) < UInt(bitPattern: layout.objectCount) else { throw unknownObject(object) }
            current.key &+= width
            current.awaitsValue = true
            try key(of: object)
            return .key
        }
        let object = Int(truncatingIfNeeded: try objects.integer(at: current.value, width: width))
        guard UInt(bitPattern: object) < UInt(bitPattern: layout.objectCount) else { throw unknownObject(object) }
        current.value &+= width
        current.left &-= 1
        current.awaitsValue = false
        return try value(of: object)
    }

    private mutating func close() -> Event? {
        guard let next = outer.popLast() else { return nil }
        let event: Event = current.isDictionary ? .endDictionary : .endArray
        current = next
        return event
    }

    /// Looks up the byte offset of an object, and moves the position there.
    @inline(__always)
    private mutating func locate(_ object: Int) throws(PropertyListError) {
        let width = layout.offsetWidth
        let entry = layout.table.lowerBound &+ object &* width
        let offset = try table.integer(at: entry, width: width)
        guard offset >= UInt64(layout.objects.lowerBound), offset < UInt64(layout.objects.upperBound) else {
            throw misplaced(object, offset: offset, entry: entry)
        }
        position = Int(truncatingIfNeeded: offset)
    }

    @inline(__always)
    private mutating func key(of object: Int) throws(PropertyListError) {
        if let slot = texts.slot(of: object) {
            lendCached(slot)
        } else {
            try decodeKey(object)
        }
        try spendText()
    }

    @inline(__always)
    private mutating func lendCached(_ slot: Int) {
        position = texts.offset(in: slot)
        source = .cache(slot: slot)
        textCount = texts.count(in: slot)
    }

    @inline(never)
    private mutating func decodeKey(_ object: Int) throws(PropertyListError) {
        try locate(object)
        let token = UInt8(truncatingIfNeeded: try objects.integer(at: position, width: 1))
        guard token >> 4 == 5 || token >> 4 == 6 else {
            throw refusal("a dictionary's key must be a string, but the token here is \(Self.hexadecimal(token))")
        }
        _ = try read(object)
        keepText(of: object)
    }

    /// Caches the text of an object for the next reference to this object, if the text is short enough.
    private mutating func keepText(of object: Int) {
        guard textCount <= BinaryTextCache.mostText else { return }
        if case .pages(let place) = source {
            scratch.truncate(to: 0)
            objects.copy(run: place, count: textCount, to: &scratch)
            source = .scratch
        }
        texts.keep(scratch, of: object, at: position)
    }

    /// Returns the event of an object that is a value: the root, an element, or the value of a key.
    @inline(__always)
    private mutating func value(of object: Int) throws(PropertyListError) -> Event {
        values &+= 1
        if values > allowance.values { throw tooManyValues() }
        if object <= newest { return try sharedValue(of: object) }
        try locate(object)
        let event = try read(object)
        switch event {
        case .beginDictionary, .beginArray: return event
        case .string, .data: try spendText()
        default: break
        }
        newest = object
        return event
    }

    /// Returns the event of an object that was probably seen before.
    @inline(__always)
    private mutating func sharedValue(of object: Int) throws(PropertyListError) -> Event {
        if let (scalar, offset) = scalars.value(of: object) {
            position = offset
            return .scalar(scalar)
        }
        if let slot = texts.slot(of: object) {
            lendCached(slot)
            try spendText()
            return .string
        }
        return try decodeShared(object)
    }

    @inline(never)
    private mutating func decodeShared(_ object: Int) throws(PropertyListError) -> Event {
        try locate(object)
        let event = try read(object)
        switch event {
        case .string:
            keepText(of: object)
            try spendText()
        case .data: try spendText()
        case .scalar(let value): scalars.keep(value, of: object, at: position)
        default: break
        }
        return event
    }

    @inline(__always)
    private mutating func spendText() throws(PropertyListError) {
        textBytes &+= textCount
        if textBytes > allowance.textBytes { throw tooMuchText() }
    }
}

extension BinaryDecoder {
    /// An event of the document. If the event has a text or bytes, these are the decoder's `text`.
    enum Event {
        case beginDictionary
        case key
        case endDictionary
        case beginArray
        case endArray
        case string
        case data
        case scalar(PropertyListScalar)
    }

    /// A dictionary or an array that is being read, with its object number and the places of its next references.
    struct Container {
        var object: Int
        var offset: Int
        var isDictionary: Bool
        /// The number of entries or elements left.
        var left: Int
        /// The byte offset of the next value's reference.
        var value: Int
        /// The byte offset of the next key's reference; meaningless in an array.
        var key: Int
        /// Whether a key has been sent, but not yet its value.
        var awaitsValue = false

        /// A placeholder for the container outside the root. The root is its only element.
        static let outside = Container(object: -1, offset: 0, isDictionary: false, left: 0, value: 0, key: 0)
    }
}
