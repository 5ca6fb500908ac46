import Glibc

/// The number of descriptors that this process may open, and of those that are open.
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
        // Without `.`, `..` and the folder itself.
        return max(count - 3, 0)
    }
}
