import Foundation

/// The text of a date: RFC 3339 in UTC, in whole seconds.
enum Timestamp {
    static func text(_ date: Date) -> String { date.formatted(.iso8601) }

    static func date(_ text: String) -> Date? {
        do { return try Date(text, strategy: .iso8601) } catch { return nil }
    }
}
