import Files
import Glibc
import HTTPServer
import TreeSources

/// The status of this process, as Prometheus's own clients report it (proc(5)).
struct ProcessStatus {
    /// User and system time, in seconds.
    let processorSeconds: Double
    let openDescriptors: Int?
    let descriptorLimit: Int
    let residentBytes: Int?
    let virtualBytes: Int?
    let threads: Int?
    /// The time when the process was started, in seconds since 1970.
    let startTime: Double?

    /// The status now; a number that the system does not report is nil.
    static var now: ProcessStatus {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let fields = Self.fields
        let ticks = Double(max(sysconf(Int32(_SC_CLK_TCK)), 1))
        return ProcessStatus(
            processorSeconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9, openDescriptors: Server.openDescriptors,
            descriptorLimit: Int(clamping: limit.rlim_cur),
            residentBytes: fields.flatMap { $0.number(24) }.map { $0 * sysconf(Int32(_SC_PAGESIZE)) },
            virtualBytes: fields.flatMap { $0.number(23) }, threads: fields.flatMap { $0.number(20) },
            startTime: fields.flatMap { $0.number(22) }.map { Self.bootTime + Double($0) / ticks })
    }

    /// The fields of /proc/self/stat after the program's name. Counting begins there, because the name may contain
    /// anything.
    private struct Fields {
        let texts: [Substring]

        /// The number in a field, by the field's place in the manual; the third field is the first after the name.
        func number(_ number: Int) -> Int? { texts.indices.contains(number - 3) ? Int(texts[number - 3]) : nil }
    }

    private static var fields: Fields? {
        do throws(SmallFile.Unreadable) {
            let text = String(
                decoding: try SmallFile(path: "/proc/self/stat", maximumBytes: 4_096).bytes, as: UTF8.self)
            guard let end = text.lastIndex(of: ")") else { return nil }
            return Fields(texts: text[text.index(after: end)...].split { $0 == " " || $0 == "\n" })
        } catch {
            return nil
        }
    }

    /// The time when the system was started, in seconds since 1970.
    private static var bootTime: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return WallClock.now - Double(time.tv_sec) - Double(time.tv_nsec) / 1e9
    }
}
