import Bytes

/// Writes metrics in the text format of Prometheus, version 0.0.4.
struct PrometheusText: ~Copyable {
    enum Kind: String { case counter, gauge, histogram, summary }

    typealias Labels = [(name: StaticString, value: String)]

    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private var text = ByteBuffer(capacity: 16 << 10)

    consuming func body() -> ByteBuffer { text }

    /// Begins a metric, whose samples follow. The help must not contain line ends or backslashes.
    mutating func begin(_ name: StaticString, kind: Kind, help: StaticString) {
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
        _ name: StaticString, kind: Kind, help: StaticString, value: (some CustomStringConvertible)?
    ) {
        guard let value else { return }
        begin(name, kind: kind, help: help)
        sample(name, value: value)
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
