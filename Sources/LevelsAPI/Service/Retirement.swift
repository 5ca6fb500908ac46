import Glibc

/// Waiting for the last reader of something that is to be freed.
enum Retirement {
    /// Asks again and again, for a second at most: a request holds what it reads for microseconds.
    static func wait(until isFree: () -> Bool) {
        for _ in 0..<1_000 where !isFree() { usleep(1_000) }
    }
}
