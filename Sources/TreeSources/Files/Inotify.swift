internal import Glibc

/// One inotify instance of the kernel, which reports events in directories and files.
///
/// If the kernel cannot provide an instance, events are not reported. So callers must poll, too.
package struct Inotify: ~Copyable {
    /// The descriptor to poll; -1, which `poll` ignores, if the kernel cannot provide an instance.
    package let descriptor: Int32

    /// The buffer for events.
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)

    package init() { descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)) }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    /// Starts watching a directory or file. A second call for the same directory or file replaces the kinds of events.
    ///
    /// - Returns: the number of the watch, which its events contain; nil if the path cannot be watched.
    package func watch(_ path: String, for events: Mask) -> Int32? {
        let number = unsafe inotify_add_watch(descriptor, path, events.rawValue)
        return number >= 0 ? number : nil
    }

    func endWatch(_ number: Int32) { _ = inotify_rm_watch(descriptor, number) }

    /// Reads all pending events.
    package mutating func takeEvents() -> [Event] {
        var events: [Event] = []
        while descriptor >= 0 {
            let taken = unsafe read(descriptor, &buffer, buffer.count)
            guard taken > 0 else { break }
            Self.parse(buffer[..<taken], into: &events)
        }
        return events
    }

    /// Parses events, which are `struct inotify_event` (inotify(7)). An event has four words and a name; the last word
    /// is the size of the name.
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
    /// An event on a watched directory or file.
    package struct Event {
        /// The number that `watch` returned; -1 if events were lost.
        let number: Int32
        let mask: Mask
        /// The name in the watched directory; nil for an event on the directory or file itself.
        package let name: String?
    }

    /// Kinds of events.
    package struct Mask: OptionSet {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// A name was created or removed, or its file was written to and closed.
        package static let names = Mask(
            rawValue: UInt32(IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO))
        /// A file was written to, and may still be open.
        package static let content = Mask(rawValue: UInt32(IN_MODIFY))
        /// A file was written to and closed, under any of its names.
        static let writing = Mask(rawValue: UInt32(IN_CLOSE_WRITE))
        /// Permissions, owner, times or another attribute changed. So a file may have become readable.
        static let attributes = Mask(rawValue: UInt32(IN_ATTRIB))
        /// The watched directory or file itself was moved or deleted.
        package static let itself = Mask(rawValue: UInt32(IN_DELETE_SELF | IN_MOVE_SELF))
        /// The events after which a file must be looked at again.
        static let ofFile: Mask = [.writing, .attributes, .itself]
        /// The directory or file can no longer be watched. This is not a kind to ask for; it is always reported.
        static let gone = Mask(rawValue: UInt32(IN_IGNORED | IN_UNMOUNT))
        /// Adds to the watched kinds instead of replacing them. This is a flag, not a kind of event.
        static let more = Mask(rawValue: UInt32(IN_MASK_ADD))
        /// The kernel's queue overflowed, and events were lost.
        static let overflow = Mask(rawValue: UInt32(IN_Q_OVERFLOW))
    }
}
