internal import Glibc

/// Calls `read` until it succeeds. Tries again ten times a second while the database cannot be reached or another
/// program holds its lock.
///
/// - Parameters:
///   - patience: the longest time to go on trying.
///   - onWait: called once, before the second attempt, with the error of the first attempt.
/// - Throws: the latest error, once `patience` is over. Errors of other kinds are thrown immediately.
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
