import Foundation
import Testing

/// A folder of one test, removed when the test is over.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("drilldown-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            Issue.record(error)
        }
    }

    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, in place where there is one.
    @discardableResult
    func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: self(name)))
        return self(name)
    }

    @discardableResult
    func write(_ name: String, _ text: String) throws -> String { try write(name, text.utf8) }

    func folder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: self(name), withIntermediateDirectories: true)
    }

    /// Renames over whatever has the new name.
    func rename(_ old: String, _ new: String) throws {
        guard unsafe Glibc.rename(self(old), self(new)) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    func permit(_ mode: Int, _ name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: self(name))
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: self(name)) }

    /// A symbolic link to `target` as it stands here, so relative to the link's own folder.
    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: self(name), withDestinationPath: target)
    }
}

/// A property list of items with these titles.
func items(_ titles: String...) -> String {
    "<plist><array>" + titles.map { "<dict><key>Title</key><string>\($0)</string></dict>" }.joined()
        + "</array></plist>"
}
