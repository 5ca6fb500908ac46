import Bytes

/// Writes metrics in the text format of Prometheus, version 0.0.4.
struct PrometheusText: ~Copyable {
    /// The type of a metric, which decides what its samples mean.
    enum Kind: String { case counter, gauge, histogram, summary }

    typealias Labels = [(name: StaticString, value: String)]

    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private var text = ByteBuffer(capacity: 16 << 10)

    /// The text so far.
    consuming func body() -> ByteBuffer { text }

    /// Begins a metric, whose samples follow.
    ///
    /// - Parameter help: a sentence without line ends and backslashes.
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

    /// A metric of one sample.
    mutating func write(_ name: StaticString, _ kind: Kind, _ help: StaticString, _ value: Int) {
        begin(name, kind, help)
        sample(name, value: "\(value)")
    }

    /// A metric of one sample.
    mutating func write(_ name: StaticString, _ kind: Kind, _ help: StaticString, _ value: Double) {
        begin(name, kind, help)
        sample(name, value: "\(value)")
    }

    /// One value.
    ///
    /// - Parameters:
    ///   - suffix: what follows the metric's name, as `_bucket`.
    ///   - value: a number in decimal.
    mutating func sample(_ name: StaticString, suffix: StaticString = "", _ labels: Labels = [], value: String) {
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
        text.append(value)
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
