/// How the descriptors that a process may open are divided: connections never take those that a reload needs.
///
/// A worker that may accept a connection and gets no descriptor for it tries again without a pause (libmicrohttpd
/// "will try busy waiting"), so the sum of all parts stays within the limit.
struct DescriptorBudget {
    let threads: Int
    let connections: Int
    /// Sockets that linger after the library has closed them.
    let lingering: Int

    /// - Parameter wanted: the number of threads that serve if there are descriptors enough.
    /// - Throws: `ServerError.tooFewDescriptors` if not even two connections are left.
    init(_ descriptors: DescriptorLimit, threads wanted: Int) throws(ServerError) {
        let limit = descriptors.limit
        threads = min(wanted, max(limit / 16, 1))
        // What the store and the rest of the program open after the start.
        let reserve = min(max(limit / 8, 8), 64)
        let fixed = descriptors.inUse + DescriptorBudget.own + DescriptorBudget.perThread * threads + reserve
        let spare = limit - fixed
        guard spare >= 2 else { throw .tooFewDescriptors(limit: limit, needed: fixed + 2) }
        lingering = min(spare / 4, 256)
        connections = min(spare - lingering, 1 << 20)
    }

    /// The listening socket twice, two wake-ups, the watch's epoll set and its bell, and the socket that takes the
    /// place of the listening one in the end.
    private static let own = 7
    /// A worker's epoll set and its wake-up.
    private static let perThread = 2
}
