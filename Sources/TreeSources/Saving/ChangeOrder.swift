internal import CFiles
internal import Files
internal import Glibc

/// Tells whether a file system keeps the order of changes: if a file was written to disk and renamed then, a power failure
/// cannot undo the first and leave the second.
enum ChangeOrder {
    /// Whether the file system of an open file does; false if the system does not tell.
    ///
    /// ext4 does if it has a journal, which takes the changes of names, lengths and places in their order. Other file
    /// systems may, but were not tried.
    static func isKept(byFileSystemOf descriptor: Int32) -> Bool {
        var system = statfs()
        guard unsafe fstatfs(descriptor, &system) == 0, isExt4(kind: Int(system.f_type)) else { return false }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, let device = deviceName(status.st_dev) else { return false }
        return hasJournal(device)
    }

    /// ext2 and ext3 have the same number (statfs(2)), and the same driver.
    private static func isExt4(kind: Int) -> Bool { kind == 0xEF53 }

    /// A block device's name in the folder `/sys`.
    private static func deviceName(_ number: dev_t) -> String? {
        let link = "/sys/dev/block/\(gnu_dev_major(number)):\(gnu_dev_minor(number))"
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = unsafe readlink(link, &target, target.count)
        guard length > 0 else { return nil }
        let path = String(decoding: target[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.lastSlash.map { String(path[path.utf8.index(after: $0)...]) }
    }

    /// Whether an ext4 file system has a thread that writes its journal; other drivers have no such file.
    private static func hasJournal(_ device: String) -> Bool {
        do throws(SmallFile.Unreadable) {
            return isWritten(
                byThread: try SmallFile("/sys/fs/ext4/\(device)/journal_task", maximumBytes: 4_096).bytes)
        } catch {
            return false
        }
    }

    /// Whether this is the number of a thread; without a journal it is `<none>`.
    static func isWritten(byThread text: [UInt8]) -> Bool {
        text.first.map { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ?? false
    }
}
