import Testing

@testable import drilldown

@Suite("A setting that is a number")
struct ExtremeOptionTests {
    /// The fault of a value of an option; nil for an accepted value.
    private func fault(_ option: Option, _ value: String) -> String? {
        do throws(UsageError) {
            let arguments = ["serve", "http://h/a", "--\(option.name)", value]
            _ = try Settings(arguments: CommandLineArguments(arguments: arguments), environment: [:])
            return nil
        } catch {
            return error.description
        }
    }

    @Test(
        "is within the range of the manual, its ends included",
        arguments: [
            ("drain", 0, 3_600), ("threads", 0, 1_024), ("connections", 1, 1_000_000),
            ("connections-per-address", 0, 1_000_000),
            ("idle-timeout", 1, 86_400), ("request-deadline", 1, 86_400), ("waiters", 0, 1_000_000),
            ("max-items", 1, 4_000_000_000),
            ("poll-interval", 1, 86_400), ("refresh", 1, 86_400), ("fetch-timeout", 1, 3_600),
            ("first-patience", 0, 86_400),
            ("arranged-rows", 0, 100_000_000), ("query-timeout", 1, 3_600),
            ("cache-bytes", 0, 1_099_511_627_776), ("response-bytes", 65_536, 1_099_511_627_776),
            ("search-bytes", 0, 1_099_511_627_776), ("history-bytes", 0, 1_099_511_627_776),
            ("max-document-bytes", 1, 1_125_899_906_842_624), ("max-memory", 67_108_864, 1_125_899_906_842_624),
            ("max-body-bytes", 1, 1_073_741_824),
        ])
    func ranges(name: String, first: Int, last: Int) throws {
        let option = try #require(Option.all.first { $0.name == name })
        for value in [first, last] { #expect(fault(option, "\(value)") == nil) }
        for value in [first - 1, last + 1] {
            let told = fault(option, "\(value)")
            #expect(told == "--\(name): '\(value)' is not a whole number from \(first) to \(last).")
        }
    }
}
