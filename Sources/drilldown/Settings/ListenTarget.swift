import HTTPServer
import PropertyLists
import TreeSources

/// An address or a socket at which to listen, as the settings name it.
enum ListenTarget: Equatable {
    case address(ListenAddress)
    /// The path of a Unix domain socket.
    case unixSocket(String)

    /// The prefix of a socket's path in the settings.
    static let unixPrefix = "unix:"

    /// Creates the target that the log shows for a bound socket: the named host with the actual port.
    ///
    /// - Parameter named: the target in the settings; nil if the service manager handed over the socket.
    init(bound: BoundAddress, named: ListenTarget?) {
        switch (bound, named) {
        case (.internet(_, let port), .address(let address)):
            self = .address(ListenAddress(host: address.host, port: port))
        case (.internet(let host, let port), _): self = .address(ListenAddress(host: host, port: port))
        case (.unix(let path), _): self = .unixSocket(path)
        }
    }

    /// Whether the system chooses the port. The same text may then name several sockets.
    var isFreePort: Bool { if case .address(let address) = self { address.port == 0 } else { false } }

    /// The target as it is written in the settings.
    fileprivate var text: String {
        switch self {
        case .address(let address): address.text
        case .unixSocket(let path): Self.unixPrefix + path
        }
    }

    /// Returns the targets that are not among the bound addresses, as they are written in the settings.
    static func unused(_ targets: [ListenTarget], for bound: [BoundAddress]) -> [String] {
        targets.filter { target in
            switch target {
            case .address(let address): !bound.contains(.internet(host: address.host, port: address.port))
            case .unixSocket(let path): !bound.contains(.unix(path: path))
            }
        }.map(\.text)
    }

    /// Binds the target, and listens at it. While a host name is resolved, SIGTERM and SIGINT end the process at once.
    ///
    /// - Parameter origin: the origin of the target.
    func listener(named origin: Settings.Origin) throws(StartRefusal) -> Listener {
        do throws(ServerError) {
            return switch self {
            case .address(let address):
                try Signals.endingAtOnce { () throws(ServerError) in
                    try Listener(host: address.host, port: address.port)
                }
            case .unixSocket(let path): try Listener(unixSocket: path)
            }
        } catch {
            throw StartRefusal(description: sentence(for: error, named: origin))
        }
    }

    /// Returns the reason why the service cannot listen at this target, and the remedy.
    ///
    /// - Parameter origin: the origin of the target. The remedy names this setting.
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

/// The reason why the service does not start.
struct StartRefusal: Error, Equatable, CustomStringConvertible { let description: String }

/// An address of the service, as the log shows it.
struct ServedAddress: Equatable {
    /// The address as the settings name it, with the actual port.
    let target: ListenTarget
    /// Whether the service speaks HTTPS at this address.
    var isSecure = false
    /// The machine's own addresses at which other machines may reach a target that stands for all addresses.
    var reachableHosts: [String] = []

    /// A URL to paste into a browser, or the socket as it is written in the settings.
    var url: String {
        switch target {
        case .address(let address): address.url(isSecure: isSecure)
        case .unixSocket: target.text
        }
    }

    /// The members of the log's lines about the address.
    fileprivate var members: [Log.Member] {
        let listen = Log.Member("listen", .text(target.text))
        if case .unixSocket = target { return [listen] }
        return [.init("url", .text(url)), listen]
    }
}

extension [ServedAddress] {
    /// The addresses as a list in a sentence.
    var text: String {
        let texts = map { address in
            guard case .address(let internet) = address.target, internet.isWildcard else { return address.url }
            let reachable = address.reachableHosts.map { host in
                ListenAddress(host: host, port: internet.port).url(isSecure: address.isSecure)
            }
            guard !reachable.isEmpty else { return address.url + " and at every other address of this machine" }
            return "\(address.url) (from other machines: \(reachable.joined(separator: ", ")))"
        }
        return texts.count < 2
            ? texts.joined() : texts.dropLast().joined(separator: ", ") + " and " + texts.suffix(1).joined()
    }

    /// The members of the log's lines about the addresses: the members of the first address, and a list of all
    /// addresses if there are several.
    fileprivate var members: [Log.Member] {
        (first?.members ?? []) + (count < 2 ? [] : [.init("addresses", .text(map(\.url).joined(separator: " ")))])
    }
}

extension Log.Entry {
    /// Creates the line that reports the served document and the addresses.
    ///
    /// - Parameter monitoring: the address of metrics and probes; nil if the service's addresses serve them.
    init(serving name: String, count: Quantity, at addresses: [ServedAddress], monitoring: ServedAddress? = nil) {
        self.init(
            severity: .info, event: "serving",
            text: "serving \(name), \(count), at \(addresses.text)"
                + (monitoring.map { "; metrics and probes at \($0.url)" } ?? ""),
            members: [.init("source", .text(name)), .init("items", .number(count.count))] + addresses.members
                + (monitoring.map { [.init("metrics", .text($0.url))] } ?? []))
    }

    /// Creates the line about addresses that are not served because the service manager handed over sockets.
    ///
    /// - Parameter name: the setting that names the addresses.
    init(unused targets: [String], named name: String) {
        self.init(
            severity: .info, event: "listen",
            text:
                "\(name): \(targets.joined(separator: ", ")) is not used, because the service manager handed over the sockets",
            members: [.init("unused", .text(targets.joined(separator: " ")))])
    }

    /// Creates the line for a first load that takes long.
    ///
    /// The line does not contain ` at `, because scripts recognize the line of the event `serving` by that word.
    init(loading name: String, for addresses: [ServedAddress]) {
        self.init(
            severity: .info, event: "starting",
            text:
                "loading \(name) for \(addresses.map(\.url).joined(separator: ", ")); until it is loaded, requests are answered with 503",
            members: [.init("source", .text(name))] + addresses.members)
    }
}

/// An internet address on which the service listens: `HOST:PORT`, with an IPv6 address in brackets.
struct ListenAddress: Equatable {
    /// A host name or an address without brackets.
    let host: String
    /// The port. If it is 0, the system chooses a free port.
    let port: UInt16

    /// Creates an address from a host without brackets and a port.
    init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

    /// The host for a text that is only a port.
    private static let loopback = "127.0.0.1"

    /// Reads `HOST:PORT`. `PORT` and `:PORT` mean a port of the loopback address. The result is nil for other text.
    init?(_ text: String) {
        let digitsOnly = text.hasPrefix(":") ? text.dropFirst() : text[...]
        if !digitsOnly.isEmpty, digitsOnly.allSatisfy({ $0.isASCII && $0.isNumber }) {
            guard let port = UInt16(digitsOnly) else { return nil }
            (self.host, self.port) = (Self.loopback, port)
            return
        }
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
    var text: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

    /// Returns the form of a valid address, for the message about an invalid address: `HOST:PORT, such as …`.
    static func requirement(for text: String) -> String {
        let port = text.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
        let isPortTooLarge = !port.isEmpty && port.allSatisfy { $0.isASCII && $0.isNumber } && UInt16(port) == nil
        return "HOST:PORT\(isPortTooLarge ? " with a port from 0 to 65535" : ""), such as \(examples(for: text))"
    }

    /// Returns addresses that were probably intended: `127.0.0.1:9000 or [::1]:9000` for `::9000`, `name:8080` for
    /// `name`.
    private static func examples(for text: String) -> String {
        let digits = text.drop { $0 == ":" }
        if let port = UInt16(digits) { return "127.0.0.1:\(port) or [::1]:\(port)" }
        if !text.contains(":"), !text.contains("/"), !text.isEmpty { return "\(text):8080" }
        return "127.0.0.1:8080 or [::1]:8080"
    }

    /// Whether the host stands for all addresses of the machine.
    var isWildcard: Bool { ["0.0.0.0", "::", "*"].contains(host) }

    /// Returns a URL that a browser on this machine can open.
    ///
    /// - Parameter isSecure: whether the service speaks HTTPS.
    func url(isSecure: Bool = false) -> String {
        let reachable = isWildcard ? (host == "::" ? "::1" : "127.0.0.1") : host
        return "\(isSecure ? "https" : "http")://\(ListenAddress(host: reachable, port: port).text)/"
    }

    /// Returns the reason why the service cannot listen at this address, and the remedy.
    ///
    /// - Parameter origin: the origin of the address. The remedy names this setting.
    func sentence(for error: ServerError, named origin: Settings.Origin) -> String {
        switch error {
        case .portInUse: "\(error); choose another: \(advice(port < .max ? port + 1 : 8080, origin: origin))."
        case .portForbidden where port < 1024 && ManagedProcess.isUnit:
            "\(error); let systemd open it: set ListenStream=\(port) with 'systemctl edit drilldown.socket', then run 'systemctl stop drilldown' and 'systemctl enable --now drilldown.socket'."
        case .portForbidden where port < 1024:
            "\(error); choose one from 1024 up: \(advice(port + 8000, origin: origin))."
        case .portForbidden: "\(error); choose another: \(advice(8080, origin: origin))."
        case .foreignAddress, .unknownHost:
            "\(error); choose another: \(Self.advice("127.0.0.1:\(port)", origin: origin))."
        case .socketInUse, .unusableSocket, .tooFewDescriptors, .system: "\(error)."
        }
    }

    private func advice(_ port: UInt16, origin: Settings.Origin) -> String {
        Self.advice(ListenAddress(host: host, port: port).text, origin: origin)
    }

    private static func advice(_ text: String, origin: Settings.Origin) -> String {
        switch origin {
        case .standard: "--listen \(text)"
        case .option: "--listen \(text)"
        case .variable(let name): "\(name)=\(text)"
        case .file(let place): "Listen \(text) in \(place)"
        }
    }
}
