import CFiles
import Foundation
import Testing

@testable import TestSupport
@testable import TreeSources

@Suite("The attributes of a file")
struct FileAttributesTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("Old", "old")
        try scratch.write("New", "new")
    }

    private func copy() throws {
        let old = try DocumentFile.open(path: scratch("Old"), maximumBytes: 100)
        let new = try DocumentFile.open(path: scratch("New"), maximumBytes: 100)
        _ = try FileAttributes.copy(from: old.descriptor, to: new.descriptor)
    }

    @Test("do not include an access control list that the new file has from its folder, and the old one has not")
    func inheritedList() throws {
        // Version 2, then entries of a tag, permissions and an identifier: owner, a user, group, mask and others (acl(5)).
        let entries: [(tag: UInt8, permissions: UInt8, user: UInt32)] = [
            (1, 6, .max), (2, 6, 12_345), (4, 0, .max), (16, 0, .max), (32, 0, .max),
        ]
        let list: [UInt8] =
            [2, 0, 0, 0]
            + entries.flatMap { entry in
                [entry.tag, 0, entry.permissions, 0] + (0..<4).map { UInt8(truncatingIfNeeded: entry.user >> (8 * $0)) }
            }
        let isSet = unsafe list.withUnsafeBytes { bytes in
            unsafe setxattr(scratch("New"), "system.posix_acl_access", bytes.baseAddress, bytes.count, 0) == 0
        }
        // Only a file system without such lists refuses this one.
        #expect(isSet || errno == EOPNOTSUPP)
        try scratch.permit(0o640, "Old")
        try copy()
        #expect(unsafe getxattr(scratch("New"), "system.posix_acl_access", nil, 0) == -1)
        var new = stat()
        #expect(unsafe stat(scratch("New"), &new) == 0 && new.st_mode & 0o7777 == 0o640)
    }

    @Test(
        "are copied: permissions, owner and extended attributes",
        arguments: [(12_345, 23_456), (12_345, 0), (0, 23_456)] as [(uid_t, gid_t)])
    func copies(owner: uid_t, group: gid_t) throws {
        let value = Array("kept\0as it is".utf8)
        let isSet = unsafe value.withUnsafeBytes { bytes in
            unsafe setxattr(scratch("Old"), "user.note", bytes.baseAddress, bytes.count, 0) == 0
        }
        try scratch.permit(0o2751, "Old")
        if geteuid() == 0 { #expect(unsafe chown(scratch("Old"), owner, group) == 0) }
        try copy()
        var (old, new) = (stat(), stat())
        #expect(unsafe stat(scratch("Old"), &old) == 0 && stat(scratch("New"), &new) == 0)
        #expect(new.st_mode == old.st_mode)
        #expect(new.st_uid == old.st_uid)
        #expect(new.st_gid == old.st_gid)
        guard isSet else { return }
        var buffer = [UInt8](repeating: 0, count: 100)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe getxattr(scratch("New"), "user.note", bytes.baseAddress, bytes.count)
        }
        #expect(Array(buffer[..<max(count, 0)]) == value)
    }

    @Test(
        "give nobody more rights if the owner or the group cannot be kept",
        arguments: [
            (mode_t(0o644), false, true, mode_t(0o644)),
            (0o4755, false, true, 0o755),
            (0o6755, true, true, 0o6755),
            (0o664, true, false, 0o604),
            (0o640, true, false, 0o600),
            (0o604, true, false, 0o600),
            (0o2775, false, false, 0o705),
            (0o466, false, true, 0o444),
            (0o077, false, true, 0o000),
        ])
    func narrowed(_ mode: mode_t, _ keepsOwner: Bool, _ keepsGroup: Bool, _ allowed: mode_t) {
        #expect(FileAttributes.allowed(mode, keepsOwner: keepsOwner, keepsGroup: keepsGroup) == allowed)
    }
}
