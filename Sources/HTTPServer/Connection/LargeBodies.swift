import Glibc
import Synchronization

/// Admits one body at a time that is larger than the server's limit, so that the memory for bodies is bounded.
final class LargeBodies: Sendable {
    private let isTaken = Atomic<Bool>(false)

    /// Admits a body, which must `leave`; false if there is one already, or no memory for it.
    func enter(bytes: Int) -> Bool {
        guard !isTaken.exchange(true, ordering: .acquiring) else { return false }
        // An array that cannot be allocated would end the process.
        guard let probe = unsafe malloc(bytes) else {
            leave()
            return false
        }
        unsafe free(probe)
        return true
    }

    /// Admits the next one.
    func leave() { isTaken.store(false, ordering: .releasing) }
}
