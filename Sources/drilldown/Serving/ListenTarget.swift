import HTTPServer
import PropertyLists
import ServiceManager

/// Where the service is told to listen.
enum ListenTarget: Equatable {
    case address(ListenAddress)
    /// The path of a Unix domain socket.
    case unixSocket(String)

    /// What precedes a path.
    static let unixPrefix = "unix:"

    /// Binds and listens; SIGTERM and SIGINT end the process at once meanwhile.
    ///
    /// - Parameter handed: the socket of the service manager, which takes precedence.
    /// - Throws: `ServerError`.
    func listener(handed: HandedSocket?) throws(ServerError) -> Listener {
        if let handed {
            return try Listener(
                inherited: handed.descriptor, named: "the socket '\(handed.name)' of the service manager")
        }
        return switch self {
        case .address(let address):
            try Signals.endingAtOnce { () throws(ServerError) in
                try Listener(host: address.host, port: address.port)
            }
        case .unixSocket(let path): try Listener(unixSocket: path)
        }
    }

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

/// Where the service listens, as the log tells it.
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
    fileprivate var url: String {
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

extension Log.Entry {
    /// The line that says what is served, and where.
    init(serving name: String, itemCount: Int, at address: ServedAddress) {
        switch address {
        case .internet(let address, let port, let isSecure):
            self.init(serving: name, itemCount: itemCount, at: address, port: port, isSecure: isSecure)
        case .unixSocket:
            self.init(
                .info, "serving", "serving \(name), \(Quantity(itemCount, "item")), at \(address.url)",
                [.init("source", .text(name)), .init("items", .number(itemCount))] + address.members)
        }
    }

    /// The line for a first load that takes long.
    ///
    /// It has no ` at ` before the address, by which scripts know the line that says what is served.
    init(loading name: String, for address: ServedAddress) {
        self.init(
            .info, "starting", "loading \(name) for \(address.url); until it is loaded, requests are answered with 503",
            [.init("source", .text(name))] + address.members)
    }
}
