internal import CFiles
internal import Files
internal import Glibc

/// The owner, permissions and extended attributes of a file, including access control lists.
struct FileAttributes: Equatable {
    private let owner: uid_t
    private let group: gid_t
    private let mode: mode_t
    /// The time of the latest change of an attribute; nil to leave the time out of comparisons.
    private var changed: Int64?

    init(status: stat, comparesTime: Bool = true) {
        owner = status.st_uid
        group = status.st_gid
        mode = status.st_mode & 0o7777
        changed = comparesTime ? FileIdentity(status).changed : nil
    }

    /// The attributes of an open file; nil if they cannot be read.
    init?(of descriptor: Int32, comparesTime: Bool = true) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status: status, comparesTime: comparesTime)
    }

    /// The same attributes without the time of their change.
    var withoutTime: FileAttributes {
        var attributes = self
        attributes.changed = nil
        return attributes
    }

    /// Gives an open file the attributes of another open file.
    ///
    /// If the owner or the group cannot be kept, nobody gets more rights to the new file than to the old one.
    ///
    /// - Returns: the copied attributes.
    /// - Throws: the error number.
    static func copy(from source: Int32, to target: Int32) throws(ErrorNumber) -> FileAttributes {
        var (status, own) = (stat(), stat())
        guard unsafe fstat(source, &status) == 0, unsafe fstat(target, &own) == 0 else { throw ErrorNumber(errno) }
        let hasOwner = own.st_uid == status.st_uid && own.st_gid == status.st_gid
        let keepsOwner = hasOwner || fchown(target, status.st_uid, status.st_gid) == 0
        // A process may give its own files to each of its own groups.
        let keepsGroup = keepsOwner || fchown(target, uid_t.max, status.st_gid) == 0
        try removeInherited(from: target, unlike: source)
        try copyExtended(from: source, to: target)
        // The permissions are set after the owner, because a change of the owner clears some of them. They are set
        // after the access control list, because the list's mask is stored in the permissions of the group.
        let mode = allowed(status.st_mode & 0o7777, keepsOwner: keepsOwner, keepsGroup: keepsGroup)
        guard fchmod(target, mode) == 0 else { throw ErrorNumber(errno) }
        return FileAttributes(status: status)
    }

    /// The permissions for a file whose owner or group could not be kept. The former owner and the members of the
    /// former group now count as others.
    static func allowed(_ mode: mode_t, keepsOwner: Bool, keepsGroup: Bool) -> mode_t {
        var (owner, group, other) = (mode >> 6 & 7, mode >> 3 & 7, mode & 7)
        var special = mode & 0o7000
        if !keepsGroup { (group, other) = (0, other & group) }
        if !keepsOwner { (group, other) = (group & owner, other & owner) }
        if !keepsOwner || !keepsGroup { special = 0 }
        owner &= 7
        return special | owner << 6 | group << 3 | other
    }

    // MARK: Extended attributes (xattr(7))

    /// Removes the access control list that a new file inherits from its folder (acl(5)), if the source lacks a list.
    /// Otherwise the group's permissions would become the mask of the inherited list, and would activate this list.
    private static func removeInherited(from target: Int32, unlike source: Int32) throws(ErrorNumber) {
        let list = "system.posix_acl_access"
        guard try names(of: target).contains(list), try !names(of: source).contains(list) else { return }
        guard unsafe fremovexattr(target, list) == 0 || errno == ENODATA else { throw ErrorNumber(errno) }
    }

    private static func copyExtended(from source: Int32, to target: Int32) throws(ErrorNumber) {
        for name in try names(of: source) where !isOfContent(name) {
            guard let value = try value(of: name, of: source) else { continue }
            let result = unsafe value.withUnsafeBytes { bytes in
                unsafe fsetxattr(target, name, bytes.baseAddress, bytes.count, 0)
            }
            guard result != 0, isRequired(name) else { continue }
            throw ErrorNumber(errno)
        }
    }

    /// Whether an attribute describes the content, so that it would be wrong for other content.
    private static func isOfContent(_ name: String) -> Bool { name == "security.ima" || name == "security.evm" }

    /// Whether an attribute must be kept. The other attributes can be set only by the system's administrator.
    private static func isRequired(_ name: String) -> Bool {
        name.hasPrefix("user.") || name.hasPrefix("system.posix_acl_")
    }

    private static func names(of file: Int32) throws(ErrorNumber) -> [String] {
        guard let bytes = try unsafe bytes({ unsafe flistxattr(file, $0, $1) }) else { return [] }
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func value(of name: String, of file: Int32) throws(ErrorNumber) -> [UInt8]? {
        try unsafe bytes { buffer, size in unsafe fgetxattr(file, name, buffer, size) }
    }

    /// Returns the bytes that a call writes into a buffer; the call itself first reports their number. Returns nil if
    /// the attribute does not exist, or if the file system does not support attributes.
    private static func bytes(_ call: (UnsafeMutablePointer<CChar>?, Int) -> Int) throws(ErrorNumber) -> [UInt8]? {
        while true {
            let size = call(nil, 0)
            guard size >= 0 else {
                // The attribute was just removed, or the file system does not support attributes.
                if errno == ENODATA || errno == EOPNOTSUPP { return nil }
                throw ErrorNumber(errno)
            }
            guard size > 0 else { return [] }
            var buffer = [CChar](repeating: 0, count: size)
            let taken = unsafe buffer.withUnsafeMutableBufferPointer { unsafe call($0.baseAddress, size) }
            if taken < 0, errno == ERANGE || errno == ENODATA { continue }
            guard taken >= 0 else { throw ErrorNumber(errno) }
            return buffer[..<taken].map { UInt8(bitPattern: $0) }
        }
    }
}
