/// Divides the descriptors that a process may open, so that connections never take those that a reload needs.
///
/// A worker that has no descriptor for a connection tries again without a pause (libmicrohttpd "will try busy
/// waiting"), so the sum of all parts stays within the limit.
struct DescriptorBudget {
    let threads: Int
    let connections: Int
    /// The number of sockets that may linger after the library has closed them.
    let lingering: Int

    /// - Parameter wanted: the number of threads that serve if there are enough descriptors.
    /// - Throws: `ServerError.tooFewDescriptors` if not even two connections are left.
    init(_ descriptors: DescriptorLimit, threads wanted: Int) throws(ServerError) {
        let limit = descriptors.limit
        threads = min(wanted, max(limit / 16, 1))
        // For the files and sockets that the rest of the program opens after the start.
        let reserve = min(max(limit / 8, 8), 64) + DescriptorBudget.files(within: limit)
        let fixed = descriptors.inUse + DescriptorBudget.own + DescriptorBudget.perThread * threads + reserve
        let spare = limit - fixed
        guard spare >= 2 else { throw .tooFewDescriptors(limit: limit, needed: fixed + 2) }
        lingering = min(spare / 4, 256)
        connections = min(spare - lingering, 1 << 20)
    }

    /// The number of files that responses may have open, besides a few of the reserve.
    static func files(within limit: Int) -> Int { min(max(limit - 256, 0) / 16, 256) }

    /// The listening socket twice, two wake-ups, the epoll set of the suspended connections and its bell, and the socket
    /// that replaces the listening one at the end.
    private static let own = 7
    /// A worker's epoll set and its wake-up.
    private static let perThread = 2
}
