import HTTPServer
import PropertyLists

/// Where the service is told to listen.
enum ListenTarget: Equatable {
    case address(ListenAddress)
    /// The path of a Unix domain socket.
    case unixSocket(String)

    /// What precedes a path.
    static let unixPrefix = "unix:"

    /// Whether the system chooses the port, so that the same text may name several sockets.
    var isFreePort: Bool { if case .address(let address) = self { address.port == 0 } else { false } }

    /// The target as it is written.
    private var text: String {
        switch self {
        case .address(let address): ListenAddress.text(host: address.host, port: address.port)
        case .unixSocket(let path): Self.unixPrefix + path
        }
    }

    /// The targets that are not served because the service manager handed over other sockets, as they are written.
    static func unused(_ targets: [ListenTarget], for bound: [BoundAddress]) -> [String] {
        targets.filter { target in
            switch target {
            case .address(let address): !bound.contains(.internet(host: address.host, port: address.port))
            case .unixSocket(let path): !bound.contains(.unix(path: path))
            }
        }.map(\.text)
    }

    /// Binds and listens; SIGTERM and SIGINT end the process at once meanwhile.
    ///
    /// - Parameter origin: where the address was named.
    /// - Throws: `Refusal`.
    func listener(named origin: Settings.Origin) throws(Refusal) -> Listener {
        do throws(ServerError) {
            return switch self {
            case .address(let address):
                try Signals.endingAtOnce { () throws(ServerError) in
                    try Listener(host: address.host, port: address.port)
                }
            case .unixSocket(let path): try Listener(unixSocket: path)
            }
        } catch {
            throw Refusal(description: sentence(for: error, named: origin))
        }
    }

    /// The reason why the service cannot listen at an address.
    struct Refusal: Error, CustomStringConvertible { let description: String }

    /// Why the service cannot listen there, and which setting to use instead.
    ///
    /// - Parameter origin: where the address was named.
    func sentence(for error: ServerError, named origin: Settings.Origin) -> String {
        switch self {
        case .address(let address): address.sentence(for: error, named: origin)
        case .unixSocket:
            if case .socketInUse = error {
                "\(error); choose another path, or stop that program."
            } else {
                "\(error)."
            }
        }
    }
}

/// Where the service listens, as the log shows it.
enum ServedAddress: Equatable {
    /// An address, the port that is in use, and whether it speaks HTTPS.
    case internet(ListenAddress, port: UInt16, isSecure: Bool = false)
    /// The path of a Unix domain socket.
    case unixSocket(String)

    /// - Parameters:
    ///   - bound: the address that the system tells.
    ///   - target: where the service was told to listen; nil if the service manager handed over the socket.
    ///   - isSecure: whether it speaks HTTPS.
    init(_ bound: BoundAddress, of target: ListenTarget?, isSecure: Bool = false) {
        switch (bound, target) {
        case (.internet(_, let port), .address(let address)):
            self = .internet(address, port: port, isSecure: isSecure)
        case (.internet(let host, let port), _):
            self = .internet(ListenAddress(host: host, port: port), port: port, isSecure: isSecure)
        case (.unix(let path), _): self = .unixSocket(path)
        }
    }

    /// What a client needs to know: a URL to paste, or the socket.
    var url: String {
        switch self {
        case .internet(let address, let port, let isSecure): address.url(port: port, isSecure: isSecure)
        case .unixSocket(let path): ListenTarget.unixPrefix + path
        }
    }

    /// The members of the log's lines about the address.
    fileprivate var members: [Log.Member] {
        switch self {
        case .internet(let address, let port, _):
            [
                .init("url", .text(url)),
                .init("listen", .text(ListenAddress.text(host: address.host, port: port))),
            ]
        case .unixSocket: [.init("listen", .text(url))]
        }
    }
}

extension [ServedAddress] {
    /// The addresses as a list in a sentence.
    var text: String {
        let texts = map { address in
            guard case .internet(let internet, _, _) = address, internet.isWildcard else { return address.url }
            return address.url + " and at every other address of this machine"
        }
        return texts.count < 2
            ? texts.joined() : texts.dropLast().joined(separator: ", ") + " and " + texts.suffix(1).joined()
    }

    /// The members of the log's lines about the addresses: those of the first, and a list of all if there are several.
    fileprivate var members: [Log.Member] {
        (first?.members ?? []) + (count < 2 ? [] : [.init("addresses", .text(map(\.url).joined(separator: " ")))])
    }
}

extension Log.Entry {
    /// The line that says what is served, and where.
    ///
    /// - Parameter monitoring: the address of metrics and probes, if they have one of their own.
    init(serving name: String, itemCount: Int, at addresses: [ServedAddress], monitoring: ServedAddress? = nil) {
        self.init(
            .info, "serving",
            "serving \(name), \(Quantity(itemCount, "item")), at \(addresses.text)"
                + (monitoring.map { "; metrics and probes at \($0.url)" } ?? ""),
            [.init("source", .text(name)), .init("items", .number(itemCount))] + addresses.members
                + (monitoring.map { [.init("metrics", .text($0.url))] } ?? []))
    }

    /// The line about addresses that are not served because the service manager handed over sockets.
    ///
    /// - Parameter name: where they were named.
    init(unused targets: [String], named name: String) {
        self.init(
            .info, "listen",
            "\(name): \(targets.joined(separator: ", ")) is not used, because the service manager handed over the sockets",
            [.init("unused", .text(targets.joined(separator: " ")))])
    }

    /// The line for a first load that takes long.
    ///
    /// It has no ` at ` before the address, by which scripts know the line that says what is served.
    init(loading name: String, for addresses: [ServedAddress]) {
        self.init(
            .info, "starting",
            "loading \(name) for \(addresses.map(\.url).joined(separator: ", ")); until it is loaded, requests are answered with 503",
            [.init("source", .text(name))] + addresses.members)
    }
}

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
