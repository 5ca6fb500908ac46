import HTTPServer

extension Settings {
    /// Returns the hosts for which a server answers at its bound addresses; nil for all hosts.
    ///
    /// At a loopback address, a request that names another host can come only from a web page whose own name resolves
    /// to this address. At any other address, clients may use names that the service does not know.
    ///
    /// - Parameter targets: the addresses as the settings name them.
    func hosts(at bound: [BoundAddress], of targets: [ListenTarget]) -> AllowedHosts? {
        guard let listedHosts, !listedHosts.isEmpty || bound.contains(where: \.isLoopback) else { return nil }
        var own: [String] = []
        for case .internet(let host, _) in bound { own.append(host) }
        for case .address(let address) in targets { own.append(address.host) }
        return AllowedHosts(
            AllowedHosts.loopbackNames + own.map { $0.contains(":") ? "[\($0)]" : $0 } + listedHosts)
    }

    /// Returns the addresses at which the hosts are checked; nil for all addresses.
    func checkedAddresses(_ bound: [BoundAddress]) -> [BoundAddress]? {
        let isListed = listedHosts?.isEmpty == false
        return isListed || bound.allSatisfy(\.isLoopback) ? nil : bound.filter(\.isLoopback)
    }

    var log: Log {
        let output = StandardError.shared
        return Log(format: logFormat, isTimed: !output.isJournal && !output.isTerminal)
    }
}
