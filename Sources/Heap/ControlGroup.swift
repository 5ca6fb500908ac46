internal import Glibc

/// The memory limit of the process's control group (cgroups(7)).
public struct ControlGroup {
    /// The lines of `/proc/self/cgroup`.
    let membership: String
    /// Returns the text of a file; nil if the file cannot be read.
    let read: (String) -> String?

    /// The smallest limit of the group and its ancestors, in bytes; nil without a limit.
    public static var memoryLimit: Int? {
        text(ofFile: "/proc/self/cgroup").flatMap { ControlGroup(membership: $0, read: text).memoryLimit }
    }

    var memoryLimit: Int? {
        var limits: [Int] = []
        for line in membership.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            if parts[1].isEmpty {
                limits += self.limits(below: "/sys/fs/cgroup", group: parts[2], name: "memory.max")
            } else if parts[1].split(separator: ",").contains("memory") {
                limits += self.limits(below: "/sys/fs/cgroup/memory", group: parts[2], name: "memory.limit_in_bytes")
            }
        }
        return limits.min()
    }

    /// The limits of a group and its ancestors. In a container, the path of the group may not exist; the group's limit
    /// is then at the root.
    private func limits(below root: String, group: Substring, name: String) -> [Int] {
        var steps = group.split(separator: "/")
        var limits: [Int] = []
        while true {
            let folder = ([root] + steps.map(String.init)).joined(separator: "/")
            let text = read("\(folder)/\(name)").map { $0.prefix { $0 != "\n" } }
            // If a limit is not set, version 2 shows the word `max`, and version 1 shows a number near the largest
            // integer.
            if let limit = text.flatMap({ Int($0) }), limit > 0, limit < 1 << 60 { limits.append(limit) }
            guard !steps.isEmpty else { return limits }
            steps.removeLast()
        }
    }

    private static func text(ofFile path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
