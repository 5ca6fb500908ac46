import Glibc
import Levels
import PropertyLists

func load() {
    let fd = unsafe open(CommandLine.arguments[1], O_RDONLY)
    let size = Int(lseek(fd, 0, SEEK_END))
    var b = TreeBuilder(isXML: true)
    do {
        try XMLPropertyListReader.read(.file(descriptor: fd, size: size), limits: .init(), into: &b)
        let t = try b.finish()
        print(t.itemCount, t.document.hash, t.warnings.first.prefix(3))
        if CommandLine.arguments.count > 2 { _ = unsafe system("grep -E 'VmRSS|VmHWM' /proc/\(getpid())/status") }
    } catch { print(error) }
}
load()
