import Threads

/// Runs a closure on several threads at once, each with its number from 0, and returns when all have ended.
///
/// These are threads of their own, because Swift's pool has one for each processor, and the tests run on it: a test that waits
/// for other work on the pool waits for all tests that stand in line before this work.
///
/// - Throws: `SystemCallError` if the system starts no more threads.
public func concurrently(_ count: Int, _ body: @escaping @Sendable (_ number: Int) -> Void) throws {
    let threads = try (0..<count).map { number in try Thread(name: "test \(number)") { body(number) } }
    for thread in threads { thread.join() }
}
