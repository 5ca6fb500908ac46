import Files
import Glibc
import Testing

@Suite("The identity of a file") struct FileIdentityTests {
    private func identity(
        device: UInt, inode: UInt, size: Int = 0, seconds: Int = 0, nanoseconds: Int = 0
    ) -> FileIdentity {
        var status = stat()
        (status.st_dev, status.st_ino, status.st_size) = (device, inode, size)
        (status.st_mtim.tv_sec, status.st_mtim.tv_nsec) = (seconds, nanoseconds)
        return FileIdentity(status)
    }

    @Test("is of the same file only in the same file system")
    func sameFile() {
        let file = identity(device: 1, inode: 2)
        #expect(file.isSameFile(as: identity(device: 1, inode: 2, size: 3, seconds: 4)))
        #expect(!file.isSameFile(as: identity(device: 1, inode: 3)))
        #expect(!file.isSameFile(as: identity(device: 3, inode: 2)))
    }

    @Test("is of the same content if size and time are equal, too")
    func sameContent() {
        let file = identity(device: 1, inode: 2, size: 3, seconds: 4)
        #expect(file.isSameContent(as: identity(device: 1, inode: 2, size: 3, seconds: 4)))
        #expect(!file.isSameContent(as: identity(device: 1, inode: 2, size: 3, seconds: 5)))
        #expect(!file.isSameContent(as: identity(device: 1, inode: 2, size: 3, seconds: 4, nanoseconds: 1)))
        #expect(!file.isSameContent(as: identity(device: 1, inode: 2, size: 4, seconds: 4)))
        #expect(!file.isSameContent(as: identity(device: 2, inode: 2, size: 3, seconds: 4)))
    }
}
