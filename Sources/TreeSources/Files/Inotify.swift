internal import Glibc

/// One inotify instance of the kernel: what happens in directories and to files, as events to be read.
///
/// Where the kernel gives none, nothing is told; whoever uses it must look by itself too.
struct Inotify: ~Copyable {
    /// What to poll; -1, which `poll` passes over, where there is no instance.
    let descriptor: Int32

    init() { descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)) }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    /// Watches a directory or file from now on; a second call for the same one sets what is told of it.
    ///
    /// - Returns: the number that its events carry; nil where it cannot be watched.
    func watch(_ path: String, for events: Mask) -> Int32? {
        let number = unsafe inotify_add_watch(descriptor, path, events.rawValue)
        return number >= 0 ? number : nil
    }

    func endWatch(_ number: Int32) { _ = inotify_rm_watch(descriptor, number) }

    /// All events up to now.
    func takeEvents() -> [Event] {
        var events: [Event] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while descriptor >= 0 {
            let taken = unsafe read(descriptor, &buffer, buffer.count)
            guard taken > 0 else { break }
            Self.parse(buffer[..<taken], into: &events)
        }
        return events
    }

    /// The layout of `struct inotify_event` (inotify(7)): four words, the last the size of the name that follows.
    private static func parse(_ bytes: ArraySlice<UInt8>, into events: inout [Event]) {
        var rest = bytes
        while rest.count >= 16 {
            let number = Int32(bitPattern: word(0, of: rest))
            let size = Int(word(3, of: rest))
            guard size <= rest.count - 16 else { return }
            let name = rest.dropFirst(16).prefix(size).prefix { $0 != 0 }
            events.append(
                Event(
                    number: number, mask: Mask(rawValue: word(1, of: rest)),
                    name: name.isEmpty ? nil : String(decoding: name, as: UTF8.self)))
            rest = rest.dropFirst(16 + size)
        }
    }

    private static func word(_ index: Int, of bytes: ArraySlice<UInt8>) -> UInt32 {
        unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self) }
    }
}

extension Inotify {
    /// Something that happened to what is watched.
    struct Event {
        /// The number that `watch` gave; -1 where events were lost.
        let number: Int32
        let mask: Mask
        /// The name in the watched directory; nil where the directory or file itself is meant.
        let name: String?
    }

    /// Kinds of events.
    struct Mask: OptionSet {
        let rawValue: UInt32

        /// A name came, went, or was written to and closed.
        static let names = Mask(rawValue: UInt32(IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO))
        /// A file was written to and closed, under whichever of its names.
        static let writing = Mask(rawValue: UInt32(IN_CLOSE_WRITE))
        /// Permissions, owner, times or another attribute changed, so that a file may be readable now.
        static let attributes = Mask(rawValue: UInt32(IN_ATTRIB))
        /// What is watched was itself moved or deleted.
        static let itself = Mask(rawValue: UInt32(IN_DELETE_SELF | IN_MOVE_SELF))
        /// Not a kind: adds to what is told already, in place of setting it.
        static let more = Mask(rawValue: UInt32(IN_MASK_ADD))
        /// More happened than the kernel could keep.
        static let overflow = Mask(rawValue: UInt32(IN_Q_OVERFLOW))
    }
}
