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

    @Test("are copied: permissions, owner and extended attributes")
    func copies() throws {
        let value = Array("kept\0as it is".utf8)
        let isSet = unsafe value.withUnsafeBytes { bytes in
            unsafe setxattr(scratch("Old"), "user.note", bytes.baseAddress, bytes.count, 0) == 0
        }
        try scratch.permit(0o2751, "Old")
        if geteuid() == 0 { #expect(unsafe chown(scratch("Old"), 12_345, 23_456) == 0) }
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
