import HTTPServer

/// An internet address on which the service listens: `HOST:PORT`, with an IPv6 address in brackets.
struct ListenAddress: Equatable {
    /// A host name or an address without brackets.
    let host: String
    /// A port of 0 picks a free port.
    let port: UInt16

    /// An address of the system, which has no brackets.
    init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

    /// Nil for a text that is not `HOST:PORT`.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        var host = String(text[..<colon])
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let port = UInt16(digits) else { return nil }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty, isBracketed == host.contains(":"), !host.contains("/") else { return nil }
        (self.host, self.port) = (host, port)
    }

    /// `HOST:PORT`.
    static func text(host: String, port: UInt16) -> String {
        (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
    }

    /// What an address must be, for an invalid one: `HOST:PORT, such as …`.
    static func requirement(for text: String) -> String {
        let port = text.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
        let isPortTooLarge = !port.isEmpty && port.allSatisfy { $0.isASCII && $0.isNumber } && UInt16(port) == nil
        return "HOST:PORT\(isPortTooLarge ? " with a port from 0 to 65535" : ""), such as \(examples(for: text))"
    }

    /// Examples of what the text probably meant: `127.0.0.1:9000 or [::1]:9000` for `9000` and `:9000`.
    private static func examples(for text: String) -> String {
        let digits = text.drop { $0 == ":" }
        if let port = UInt16(digits) { return "127.0.0.1:\(port) or [::1]:\(port)" }
        if !text.contains(":"), !text.contains("/"), !text.isEmpty { return "\(text):8080" }
        return "127.0.0.1:8080 or [::1]:8080"
    }

    /// Whether the host means every address of the machine.
    var isWildcard: Bool { ["0.0.0.0", "::", "*"].contains(host) }

    /// A URL that a browser on this machine can open.
    ///
    /// - Parameters:
    ///   - port: the port that is in use.
    ///   - isSecure: whether the service speaks HTTPS.
    func url(port: UInt16, isSecure: Bool = false) -> String {
        let reachable = isWildcard ? (host == "::" ? "::1" : "127.0.0.1") : host
        return "\(isSecure ? "https" : "http")://\(Self.text(host: reachable, port: port))/"
    }

    /// Why the service cannot listen there, and which setting to use instead.
    ///
    /// - Parameter origin: where the address was named.
    func sentence(for error: ServerError, named origin: Settings.Origin) -> String {
        switch error {
        case .portInUse: "\(error); choose another: \(advice(port < .max ? port + 1 : 8080, origin))."
        case .portForbidden where port < 1024:
            "\(error); choose one from 1024 up: \(advice(port + 8000, origin))."
        case .portForbidden: "\(error); choose another: \(advice(8080, origin))."
        case .foreignAddress, .unknownHost:
            "\(error); choose another: \(Self.advice("127.0.0.1:\(port)", origin))."
        case .socketInUse, .unusableSocket, .tooFewDescriptors, .system: "\(error)."
        }
    }

    private func advice(_ port: UInt16, _ origin: Settings.Origin) -> String {
        Self.advice(Self.text(host: host, port: port), origin)
    }

    private static func advice(_ text: String, _ origin: Settings.Origin) -> String {
        switch origin {
        case .standard: "--listen \(text)"
        case .option: "--listen \(text), or make run LISTEN=\(text)"
        case .variable(let name): "\(name)=\(text)"
        case .file(let place): "Listen \(text) in \(place)"
        }
    }
}
