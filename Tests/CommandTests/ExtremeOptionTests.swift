import Testing

@testable import TestDocuments
@testable import TestSupport
@testable import drilldown

@Suite("A setting that is a number of any size")
struct ExtremeOptionTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

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

    @Test("is within its range, or a sentence says which that is", arguments: 0..<2)
    func numbers(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var refused: Set<String> = []
        for option in Option.all where option.placeholder != nil && Int(option.standard ?? "") != nil {
            for _ in 0..<60 {
                let value = generator.extremeText()
                guard let fault = fault(option, value) else { continue }
                refused.insert(option.name)
                let isTold = fault.hasPrefix("--\(option.name): '\(value)' is not a whole number from ")
                #expect(isTold, "\(fault)")
            }
        }
        #expect(refused.isSuperset(of: ["drain", "threads", "connections", "max-items", "waiters", "refresh"]))
    }
}
