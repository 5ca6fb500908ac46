import Bytes
import TreeSources

/// Writes metrics in the text format of Prometheus, version 0.0.4.
struct PrometheusText: ~Copyable {
    enum Kind: String { case counter, gauge, histogram, summary }

    typealias Labels = [(name: StaticString, value: String)]

    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private var text = ByteBuffer(capacity: 16 << 10)

    consuming func body() -> ByteBuffer { text }

    /// Begins a metric, whose samples follow. The help must not contain line ends or backslashes.
    mutating func begin(_ name: StaticString, _ kind: Kind, _ help: StaticString) {
        text.append("# HELP ")
        text.append(name)
        text.append(" ")
        text.append(help)
        text.append("\n# TYPE ")
        text.append(name)
        text.append(" ")
        text.append(kind.rawValue)
        text.append("\n")
    }

    /// Writes a metric of one sample; nothing if the value is nil.
    mutating func write(
        _ name: StaticString, _ kind: Kind, _ help: StaticString, _ value: (some CustomStringConvertible)?
    ) {
        guard let value else { return }
        begin(name, kind, help)
        sample(name, value: value)
    }

    /// Writes a metric with a sample for each value of a label.
    mutating func write(
        _ name: StaticString, _ kind: Kind, _ help: StaticString, by label: StaticString, _ values: [(String, Int)]
    ) {
        begin(name, kind, help)
        for (value, count) in values { sample(name, [(label, value)], value: count) }
    }

    /// Writes the count and the total time of work.
    mutating func write(_ name: StaticString, _ help: StaticString, _ work: WorkTotal) {
        begin(name, .summary, help)
        sample(name, of: work)
    }

    /// Writes the counts and the total times of several kinds of work.
    mutating func write(
        _ name: StaticString, _ help: StaticString, by label: StaticString, _ works: [(String, WorkTotal)]
    ) {
        begin(name, .summary, help)
        for (value, work) in works { sample(name, [(label, value)], of: work) }
    }

    private mutating func sample(_ name: StaticString, _ labels: Labels = [], of work: WorkTotal) {
        sample(name, suffix: "_sum", labels, value: work.seconds)
        sample(name, suffix: "_count", labels, value: work.count)
    }

    /// Writes a sample of the metric. The suffix, such as `_bucket`, follows the name of the metric.
    mutating func sample(
        _ name: StaticString, suffix: StaticString = "", _ labels: Labels = [], value: some CustomStringConvertible
    ) {
        text.append(name)
        text.append(suffix)
        for index in labels.indices {
            text.append(index == 0 ? "{" : ",")
            text.append(labels[index].name)
            text.append("=\"")
            appendEscaped(labels[index].value)
            text.append("\"")
        }
        if !labels.isEmpty { text.append("}") }
        text.append(" ")
        text.append(value.description)
        text.append("\n")
    }

    private mutating func appendEscaped(_ value: String) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): text.append("\\\\")
            case UInt8(ascii: "\""): text.append("\\\"")
            case UInt8(ascii: "\n"): text.append("\\n")
            default: text.append(byte)
            }
        }
    }
}
