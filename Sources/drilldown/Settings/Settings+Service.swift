import Glibc
import HTTPServer
import Heap
import LevelsAPI
import PropertyLists

extension Settings {
    /// Where the service listens, at least at one place.
    ///
    /// - Throws: `UsageError` for an invalid value.
    func listenTargets() throws(UsageError) -> [ListenTarget] {
        var targets: [ListenTarget] = []
        for text in texts("Listen") {
            let target = try listenTarget(text)
            guard !targets.contains(target) || target.isFreePort else {
                throw UsageError("\(name("Listen")): '\(quoted: text)' appears more than once.")
            }
            targets.append(target)
        }
        return targets
    }

    private func listenTarget(_ text: String) throws(UsageError) -> ListenTarget {
        guard text.hasPrefix(ListenTarget.unixPrefix) else {
            guard !text.hasPrefix("/") else {
                throw wrong("Listen", "HOST:PORT; a socket is \(ListenTarget.unixPrefix)\(text)", value: text)
            }
            return .address(try address("Listen", text))
        }
        let path = String(text.dropFirst(ListenTarget.unixPrefix.count))
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw wrong(
                "Listen", "the path of a socket, such as \(ListenTarget.unixPrefix)/run/drilldown/socket", value: text)
        }
        return .unixSocket(path)
    }

    private func address(_ key: String, _ text: String) throws(UsageError) -> ListenAddress {
        guard let address = ListenAddress(text) else {
            throw wrong(key, ListenAddress.requirement(for: text), value: text)
        }
        return address
    }

    /// Where metrics and probes are served; nil for the address of the service.
    ///
    /// - Throws: `UsageError` for an invalid value.
    func metricsTarget() throws(UsageError) -> ListenTarget? {
        let text = text("MetricsListen")
        return text.isEmpty ? nil : .address(try address("MetricsListen", text))
    }

    /// How long the service goes on after the first signal to stop.
    ///
    /// - Throws: `UsageError` for an invalid value.
    func drain() throws(UsageError) -> Duration { .seconds(try number("Drain", 0...3_600)) }

    private func trustedProxies() throws(UsageError) -> TrustedProxies? {
        let listed = text("TrustedProxies").split { $0 == "," || $0 == " " }.map(String.init)
        guard !listed.isEmpty else { return nil }
        guard let proxies = TrustedProxies(listed) else {
            throw wrong("TrustedProxies", "a list of addresses and networks, such as 127.0.0.1,10.0.0.0/8, or unix")
        }
        return proxies
    }

    /// - Throws: `UsageError` for an invalid value.
    func server() throws(UsageError) -> Server.Configuration {
        var server = Server.Configuration()
        _ = try listenTargets()
        server.proxies = try trustedProxies()
        _ = try listedHosts()
        server.threads = try number("Threads", 0...1_024)
        server.connectionLimit = try number("Connections", 1...1_000_000)
        server.connectionLimitPerAddress = try number("ConnectionsPerAddress", 0...1_000_000)
        server.idleTimeout = .seconds(try number("IdleTimeout", 1...86_400))
        server.bodyLimit = try number("MaxBodyBytes", 1...1 << 30)
        server.requestDeadline = .seconds(try number("RequestDeadline", 1...86_400))
        return server
    }

    /// The hosts that a server answers to at the addresses that it is bound to, as its targets name them; nil for all.
    ///
    /// On a loopback address, a request that names another host can only come from a page that has given its own name
    /// this address. On any other address, clients may reach the service by names that it does not know.
    ///
    /// - Throws: `UsageError` for an invalid value.
    func hosts(at bound: [BoundAddress], of targets: [ListenTarget]) throws(UsageError) -> AllowedHosts? {
        guard let listed = try listedHosts(), !listed.isEmpty || bound.contains(where: \.isLoopback) else { return nil }
        var own: [String] = []
        for case .internet(let host, _) in bound { own.append(host) }
        for case .address(let address) in targets { own.append(address.host) }
        return AllowedHosts(
            AllowedHosts.loopbackNames + own.map { $0.contains(":") ? "[\($0)]" : $0 } + listed)
    }

    /// The addresses at which the hosts are checked; nil for all.
    ///
    /// - Throws: `UsageError` for an invalid value.
    func checkedAddresses(_ bound: [BoundAddress]) throws(UsageError) -> [BoundAddress]? {
        let isListed = try listedHosts()?.isEmpty == false
        return isListed || bound.allSatisfy(\.isLoopback) ? nil : bound.filter(\.isLoopback)
    }

    /// The hosts that are listed; nil for all.
    private func listedHosts() throws(UsageError) -> [String]? {
        let listed = text("Hosts").split { $0 == "," || $0 == " " }.map(String.init)
        if listed == ["*"] { return nil }
        guard listed.allSatisfy(AllowedHosts.isName) else {
            throw wrong("Hosts", "a list of host names without ports, separated by commas, or * alone for all")
        }
        return listed
    }

    /// - Throws: `UsageError` for an invalid value.
    func api() throws(UsageError) -> LevelsAPI.Configuration {
        var api = LevelsAPI.Configuration()
        api.cacheBytes = try number("CacheBytes", 0...1 << 40)
        api.responseBudget = ResponseBudget(bytes: try number("ResponseBytes", 65_536...1 << 40))
        api.searchBytes = try number("SearchBytes", 0...1 << 40)
        api.waiters = try number("Waiters", 0...1_000_000)
        api.assetsFolder = assetsFolder
        api.hasWebClient = try !flag("NoWebClient")
        api.cacheControl = text("CacheControl")
        guard api.cacheControl.unicodeScalars.allSatisfy({ (0x20...0x7E).contains($0.value) }) else {
            throw wrong("CacheControl", "a header field's value")
        }
        guard !api.sharesAnswers || readToken == nil && text("ReadTokenFile").isEmpty else {
            throw UsageError(
                "\(name("CacheControl")): '\(api.cacheControl)' lets shared caches keep answers that need a read token; leave out public and s-maxage."
            )
        }
        do {
            api.allowedOrigins = try AllowedOrigins(text("CorsOrigins"))
        } catch {
            throw UsageError("\(name("CorsOrigins")): \(error).")
        }
        return api
    }

    /// The memory that the process may use, in bytes: the option, or the limit of the control group; `Int.max` for none.
    ///
    /// - Throws: `UsageError` for an invalid value.
    func memoryLimit() throws(UsageError) -> Int {
        guard text("MaxMemory").isEmpty else { return try number("MaxMemory", 64 << 20...1 << 50) }
        return ControlGroup.memoryLimit ?? .max
    }

    /// - Throws: `UsageError` for an invalid value.
    func historyBytes() throws(UsageError) -> Int { try number("HistoryBytes", 0...1 << 40) }

    /// - Throws: `UsageError` for an invalid value.
    func log() throws(UsageError) -> Log {
        let output = StandardError.shared
        return Log(try choice("LogFormat", Log.Format.self), isTimed: !output.isJournal && !output.isTerminal)
    }

    /// - Throws: `UsageError` for an invalid value.
    func logsAccess() throws(UsageError) -> Bool { try flag("AccessLog") }
}
