import Files
import Foundation
import Locking
import Testing

@testable import TestSupport
@testable import TreeSources

/// Files that a killed process left beside the document.
extension FileExchangeTests {
    @Test("does not write into the remains of a killed process, which may have another name")
    func remains() throws {
        try scratch.write("Other", "other")
        try FileManager.default.linkItem(atPath: scratch("Other"), toPath: scratch(".Data.plist.drilldown-edit"))
        #expect(outcome() == "saved")
        #expect(try String(contentsOfFile: scratch("Other"), encoding: .utf8) == "other")
        #expect(try names == ["Data.plist", "Other"])
    }

    @Test("removes the remains of a killed process, but not the file of a living one")
    func removal() throws {
        let aside = scratch(".Data.plist.drilldown-edit")
        try scratch.write(".Data.plist.drilldown-edit", "half")
        let folder = try OpenFolder(path: scratch.path)
        func remove() -> Int32 {
            FileReplacement.removeRemains(named: ".Data.plist.drilldown-edit", in: folder.descriptor)
        }
        #expect(remove() == 0)
        #expect(try names == ["Data.plist"])
        #expect(remove() == 0)
        let file = try FileReplacement.begin(of: scratch("Data.plist"), through: aside, mode: 0o600)
        #expect(remove() == -1)
        #expect(try names == [".Data.plist.drilldown-edit", "Data.plist"])
        _ = consume file
    }

    @Test("locks the old file while it has the hidden name")
    func lockedRemains() throws {
        let hidden = FileReplacement.editPath(of: scratch("Data.plist"))
        let locks = Guarded<[Int32]>([])
        _ = try save(before: { step in
            guard step == .verify || step == .syncFolder else { return nil }
            let descriptor = unsafe open(hidden, O_RDONLY)
            locks.withLock { $0.append(flock(descriptor, LOCK_EX | LOCK_NB)) }
            close(descriptor)
            return nil
        })
        #expect(locks.withLock { $0.contains(-1) && !$0.contains(0) })
        #expect(try content == "new")
    }
}
