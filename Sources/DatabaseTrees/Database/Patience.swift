internal import Glibc

/// Reads a database again, ten times a second, while it is away or another program holds its lock.
///
/// - Parameters:
///   - patience: the longest time to try again.
///   - onWait: called once, with the first error.
/// - Throws: the latest error when the time is over, and any other error at once.
package func waiting<Result>(
    _ patience: Duration, onWait: (DatabaseError) -> Void = { _ in }, _ read: () throws(DatabaseError) -> Result
) throws(DatabaseError) -> Result {
    let end = ContinuousClock.now + patience
    var hasWaited = false
    while true {
        do throws(DatabaseError) {
            return try read()
        } catch {
            guard error.kind == .away || error.kind == .busy, ContinuousClock.now < end else { throw error }
            if !hasWaited { onWait(error) }
            hasWaited = true
            usleep(100_000)
        }
    }
}
