import Synchronization

/// The memory that the bodies of all responses that are being sent may take together.
///
/// A response is charged from the time it is made for a connection until nothing refers to it. Responses that share a
/// body at the same time are charged once.
public final class ResponseBudget: Sendable {
    /// The limit, in bytes.
    public let limit: Int
    private let taken = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)

    /// Bodies below this size are not counted, because the connection itself takes more memory.
    static let smallest = 16 << 10
    /// Bodies below this size are counted but never refused.
    static let smallestRefused = 64 << 10

    /// - Parameter bytes: the limit.
    public init(bytes: Int) { limit = bytes }

    /// The number of bytes that are charged at present.
    public var used: Int { taken.load(ordering: .relaxed) }
    /// The number of responses that were refused.
    public var refusals: Int { refused.load(ordering: .relaxed) }

    /// A charge for the memory of a response or a body. The charge ends with the last reference to this object.
    final class Charge: Sendable {
        private let budget: ResponseBudget
        private let bytes: Int
        /// The charge for the body from which a stream is made; nil if the stream shares no body.
        private let body: Charge?

        fileprivate init(budget: ResponseBudget, bytes: Int, body: Charge?) {
            self.budget = budget
            self.bytes = bytes
            self.body = body
        }

        deinit { budget.taken.subtract(bytes, ordering: .relaxed) }
    }

    /// Whether a response of this size would exceed the limit. If so, the response counts as refused.
    public func refuses(bytes: Int) -> Bool {
        guard used + bytes > limit else { return false }
        refused.add(1, ordering: .relaxed)
        return true
    }

    /// Charges memory; nil if the charge would exceed the limit.
    func charge(bytes: Int, of body: Charge? = nil) -> Charge? {
        let sum = taken.add(bytes, ordering: .relaxed).newValue
        guard sum > limit, bytes >= Self.smallestRefused else { return Charge(budget: self, bytes: bytes, body: body) }
        taken.subtract(bytes, ordering: .relaxed)
        refused.add(1, ordering: .relaxed)
        return nil
    }
}

extension Response {
    /// Returns the response, charged to a budget until nothing refers to it; nil if the response exceeds the budget.
    ///
    /// A response with a short body is not charged.
    public func charged(to budget: ResponseBudget) -> Response? {
        guard charge == nil else { return self }
        let made: ResponseBudget.Charge?
        if let stream = payload.stream {
            guard stream.memory >= ResponseBudget.smallest else { return self }
            var bodyCharge: ResponseBudget.Charge?
            if let body = stream.sharedBody, body.isCounted {
                guard let charge = body.charge(to: budget) else { return nil }
                bodyCharge = charge
            }
            made = budget.charge(bytes: stream.memory, of: bodyCharge)
        } else {
            guard let body = payload.body, body.isCounted else { return self }
            made = body.charge(to: budget)
        }
        return made.map { Response(status: status, payload: payload, charge: $0) }
    }

    /// The response without a charge, for a cache that has a limit of its own.
    public var uncharged: Response { charge == nil ? self : Response(status: status, payload: payload) }
}
