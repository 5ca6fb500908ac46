import Glibc

/// The seeds of random tests: a few in every run, and many in `make soak`, which sets RANDOM_ROUNDS to a factor.
enum RandomRounds {
    private static let factor = unsafe getenv("RANDOM_ROUNDS").flatMap { unsafe Int(String(cString: $0)) } ?? 1

    /// The first seeds, or `factor` times as many.
    static func first<Number: FixedWidthInteger>(_ count: Number) -> Range<Number> where Number.Stride: SignedInteger {
        0..<count * Number(factor)
    }
}
