import Foundation
import Testing

@testable import TestSupport
@testable import TreeSources

@Suite("A file that is not read")
struct FileRefusalTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func refusal(_ name: String, limit: Int = 100) -> String {
        do {
            _ = try PropertyListFile(path: scratch(name), interpretation: Interpretation(maximumBytes: limit)).load(
                replacing: nil)
            return "it was read"
        } catch {
            return "\(error)".replacingOccurrences(of: scratch.path, with: "~")
        }
    }

    /// Where a descriptor leads; nil where it was closed since it was listed.
    private static func target(ofDescriptor number: String) -> String? {
        do {
            return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        } catch {
            return nil
        }
    }

    @Test("because it is missing says so")
    func missing() {
        #expect(
            refusal("Data.plist")
                == "~/Data.plist: the file does not exist in the folder ~; name a property list file that exists.")
    }

    @Test("because of a name that would control a terminal shows it escaped")
    func oddName() throws {
        #expect(
            refusal("Folder\u{1B}[2J/Data\u{202E}.plist")
                == #"~/Folder\u{1B}[2J/Data\u{202E}.plist: the folder ~/Folder\u{1B}[2J does not exist; name a file that exists."#
        )
        try scratch.link("Data.plist", to: "Gone\n.plist")
        #expect(
            refusal("Data.plist")
                == #"~/Data.plist: it is a symbolic link to Gone\u{A}.plist, which does not exist; point it at a property list file."#
        )
    }

    @Test("because its name differs in case names the existing file")
    func otherCase() throws {
        try scratch.write("Data.plist", items("A"))
        try scratch.write("Other.plist", items("A"))
        #expect(
            refusal("data.PLIST")
                == "~/data.PLIST: the file does not exist, but the folder ~ contains 'Data.plist', whose name differs only in case."
        )
    }

    @Test(
        "because its name differs names the one that was probably meant",
        arguments: [("Dta.plist", "Data.plist"), ("Data.json", "Data.plist"), ("Else", "Elsewhere.plist")])
    func otherName(_ name: String, _ near: String) throws {
        try scratch.write("Data.plist", items("A"))
        try scratch.write("Elsewhere.plist", items("A"))
        #expect(refusal(name) == "~/\(name): the file does not exist in the folder ~. Did you mean '\(near)'?")
    }

    @Test("because its name is missing names no other hidden file")
    func hiddenName() throws {
        try scratch.write(".settings", items("A"))
        #expect(
            refusal(".plist")
                == "~/.plist: the file does not exist in the folder ~; name a property list file that exists.")
    }

    @Test("because its folder is missing names the first folder that is, and the one that was probably meant")
    func missingFolder() throws {
        #expect(
            refusal("a/b/Data.plist") == "~/a/b/Data.plist: the folder ~/a does not exist; name a file that exists.")
        try scratch.folder("Documents/Old")
        #expect(
            refusal("Docments/Data.plist")
                == "~/Docments/Data.plist: the folder ~/Docments does not exist. Did you mean 'Documents'?")
        #expect(
            refusal("Documents/New/Data.plist")
                == "~/Documents/New/Data.plist: the folder ~/Documents/New does not exist; name a file that exists.")
    }

    @Test("because a relative path leads nowhere names the folder as an absolute path")
    func relative() {
        let folder = FileManager.default.currentDirectoryPath
        do {
            _ = try PropertyListFile(path: "./none-such.plist").load(replacing: nil)
            Issue.record("it was read")
        } catch {
            #expect(
                "\(error)"
                    == "./none-such.plist: the file does not exist in the folder \(folder); name a property list file that exists."
            )
        }
    }

    @Test("because a part of its path is a file says so")
    func fileAsFolder() throws {
        try scratch.write("Data.plist", items("A"))
        #expect(
            refusal("Data.plist/Root.plist")
                == "~/Data.plist/Root.plist: a part of this path is a file, not a folder; name a property list file."
        )
    }

    @Test("because its link leads nowhere says so")
    func danglingLink() throws {
        try scratch.link("Data.plist", to: "Gone.plist")
        #expect(
            refusal("Data.plist")
                == "~/Data.plist: it is a symbolic link to Gone.plist, which does not exist; point it at a property list file."
        )
    }

    @Test("because its links go round says so")
    func linkCircle() throws {
        try scratch.link("A", to: "B")
        try scratch.link("B", to: "A")
        #expect(refusal("A") == "~/A: the symbolic links in this path form a loop; point them at a file.")
    }

    @Test(
        "because it looks like a URL without a scheme asks for the scheme",
        arguments: ["localhost:8080/x.json", "localhost/x.json", "example.com:80"])
    func noScheme(address: String) {
        let error = #expect(throws: SourceError.self) { try PropertyListFile(path: address).load(replacing: nil) }
        #expect(
            error?.description
                == "\(address): the file does not exist; for a URL, write http://\(address) or https://\(address).")
    }

    @Test("because it is a folder asks for the file in it")
    func folder() throws {
        try scratch.folder("Settings.bundle")
        try scratch.folder("Documents")
        #expect(
            refusal("Settings.bundle/")
                == "~/Settings.bundle/: it is a folder; name a file in it, as in ~/Settings.bundle/Root.plist, or a document that refers to its files with Source."
        )
        #expect(
            refusal("Documents")
                == "~/Documents: it is a folder; name a file in it, as in ~/Documents/Data.plist, or a document that refers to its files with Source."
        )
    }

    @Test("because it is a named pipe is refused without waiting for a writer")
    func pipe() {
        let failure = unsafe mkfifo(scratch("Pipe"), 0o600)
        #expect(failure == 0)
        #expect(refusal("Pipe") == "~/Pipe: it is a named pipe (FIFO); name a property list file.")
    }

    @Test("because it is a socket or a device says so")
    func socketsAndDevices() throws {
        let failure = unsafe mknod(scratch("Socket"), S_IFSOCK | 0o600, 0)
        #expect(failure == 0)
        try scratch.link("Null", to: "/dev/null")
        #expect(refusal("Socket") == "~/Socket: it is a socket or a device; name a property list file.")
        #expect(refusal("Null") == "~/Null: it is a device; name a property list file.")
    }

    @Test("because it must not be read names the reason")
    func noRight() {
        #expect(
            "\(FileRefusal.notOpened("Data.plist", code: EACCES))"
                == "Data.plist: this process is not allowed to read the file (Permission denied); give it permission.")
    }

    @Test("because it is empty or too large says how large it may be")
    func sizes() throws {
        try scratch.write("Empty.plist", "")
        try scratch.write("Large.plist", String(repeating: " ", count: 101))
        #expect(refusal("Empty.plist") == "~/Empty.plist: the file is empty; it must contain a property list.")
        #expect(
            refusal("Large.plist")
                == "~/Large.plist: the file has 101 bytes and the limit is 100; split it, or raise MaxDocumentBytes.")
    }

    @Test("because it is packed, OpenStep's or never written names its format")
    func otherFormats() throws {
        try scratch.write("Data.plist.gz", [0x1F, 0x8B, 8, 0, 0])
        try scratch.write("Open.plist", "{ a = b; }")
        try scratch.write("Zeros.plist", [UInt8](repeating: 0, count: 50))
        #expect(refusal("Data.plist.gz") == "~/Data.plist.gz: it is compressed with gzip; decompress it first.")
        #expect(
            refusal("Open.plist")
                == "~/Open.plist: it is an OpenStep property list, which is another format; convert it with plutil -convert xml1 or, on Linux, with plistutil -f xml."
        )
        #expect(
            refusal("Zeros.plist")
                == "~/Zeros.plist: the file begins with zero bytes instead of text; it was not written completely, so save it again."
        )
    }

    @Test("is closed again, whatever was wrong with it")
    func closed() throws {
        try scratch.folder("Folder")
        try scratch.write("Empty.plist", "")
        try scratch.write("Large.plist", String(repeating: " ", count: 101))
        try scratch.write("Broken.plist", "<plist>")
        for name in ["Folder", "Empty.plist", "Large.plist", "Broken.plist"] { _ = refusal(name) }
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Self.target)
        #expect(!open.contains { $0.hasPrefix(scratch.path) })
    }
}
