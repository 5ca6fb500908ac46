import Glibc

/// Divides the descriptors that a process may open, so that connections leave enough for reloads.
///
/// A worker that finds no free descriptor for a connection tries again without a pause (libmicrohttpd "will try busy
/// waiting"). So the sum of all parts stays within the limit.
struct DescriptorBudget {
    let threads: Int
    let connections: Int
    /// The number of sockets that may linger after the library has closed them.
    let lingering: Int

    /// - Parameter wanted: the number of threads that serve if there are enough descriptors.
    /// - Throws: `ServerError.tooFewDescriptors` if not even two connections are left.
    init(descriptors: DescriptorLimit, threads wanted: Int) throws(ServerError) {
        let limit = descriptors.limit
        threads = min(wanted, max(limit / 16, 1))
        // The reserve is for the files and sockets that the rest of the program opens after the start.
        let reserve = min(max(limit / 8, 8), 64) + DescriptorBudget.files(within: limit)
        let fixed = descriptors.inUse + DescriptorBudget.own + DescriptorBudget.perThread * threads + reserve
        let spare = limit - fixed
        guard spare >= 2 else { throw .tooFewDescriptors(limit: limit, needed: fixed + 2) }
        lingering = min(spare / 4, 256)
        connections = min(spare - lingering, 1 << 20)
    }

    /// The number of files that responses may have open, in addition to a few from the reserve.
    static func files(within limit: Int) -> Int { min(max(limit - 256, 0) / 16, 256) }

    /// The descriptors of the server itself: two of the listening socket, two wake-ups, the epoll set of the suspended
    /// connections and its bell, and the socket that replaces the listening socket at the end.
    private static let own = 7
    /// A worker's epoll set and its wake-up.
    private static let perThread = 2
}

/// The number of descriptors that this process may open, and the number that it has open.
struct DescriptorLimit {
    let limit: Int
    let inUse: Int

    /// Raises the soft limit to the hard limit, and counts the open descriptors.
    static func raise() -> DescriptorLimit { DescriptorLimit(limit: raisedLimit(), inUse: openCount() ?? 32) }

    private static func raisedLimit() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// The number of entries in /proc/self/fd (proc(5)); nil if it cannot be read.
    static func openCount() -> Int? {
        guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe closedir(folder) }
        var count = 0
        while unsafe readdir(folder) != nil { count += 1 }
        // The entries `.`, `..` and the folder's own descriptor do not count.
        return max(count - 3, 0)
    }
}
