import Glibc
import Locking

extension Response {
    /// A body in memory from `malloc`, which several responses can share.
    ///
    /// Unchecked Sendable: nothing writes to the memory after `init`, and the memory is freed with the last reference.
    /// Each of the library's responses holds a reference.
    @safe
    public final class Body: @unchecked Sendable {
        let bytes: UnsafeRawBufferPointer
        /// Holds the charge for the body, if the body is charged at present. Nil if the body is too short to be
        /// counted.
        private let charge: Guarded<Charged>?

        private struct Charged {
            weak var charge: ResponseBudget.Charge?
        }

        /// Takes ownership of memory from `malloc`.
        public init(takingOver memory: UnsafeMutableRawBufferPointer) {
            unsafe bytes = UnsafeRawBufferPointer(memory)
            charge = memory.count < ResponseBudget.smallest ? nil : Guarded(Charged())
        }

        convenience init?(copying bytes: [UInt8]) {
            // malloc(0) may return nil, which the library would reject.
            guard let copy = unsafe malloc(max(bytes.count, 1)) else { return nil }
            let memory = unsafe UnsafeMutableRawBufferPointer(start: copy, count: bytes.count)
            unsafe memory.copyBytes(from: bytes)
            unsafe self.init(takingOver: memory)
        }

        deinit { unsafe free(UnsafeMutableRawPointer(mutating: bytes.baseAddress)) }

        /// The number of bytes.
        public var count: Int { unsafe bytes.count }

        /// The bytes.
        public var span: Span<UInt8> {
            @_lifetime(borrow self)
            get {
                let span = unsafe Span<UInt8>(_unsafeBytes: bytes)
                return unsafe _overrideLifetime(span, borrowing: self)
            }
        }

        /// Whether a response must be charged for the body.
        var isCounted: Bool { charge != nil }

        /// The charge for the body, which all its responses share. Nil if the charge exceeds the budget, or if the body
        /// is not counted.
        func charge(to budget: ResponseBudget) -> ResponseBudget.Charge? {
            charge?.withLock { charged in
                if let known = charged.charge { return known }
                let made = budget.charge(bytes: count)
                charged.charge = made
                return made
            }
        }
    }
}
