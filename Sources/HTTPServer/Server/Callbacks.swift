import CMicroHTTPD
import Glibc

// The library's callbacks: each recovers its object, calls one method, and converts the result.

/// MHD_NotifyConnectionCallback.
func notifyConnection(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_ConnectionNotificationCode
) {
    guard let context = unsafe context, let connection = unsafe connection, let slot = unsafe slot else { return }
    let service = unsafe Unmanaged<Service>.fromOpaque(context)
    if code == .CONNECTION_NOTIFY_STARTED {
        unsafe slot.pointee = unsafe service._withUnsafeGuaranteedRef { unsafe $0.opened(connection) }.toOpaque()
    } else if let opened = unsafe slot.pointee {
        unsafe slot.pointee = nil
        unsafe service._withUnsafeGuaranteedRef { unsafe $0.closed(Unmanaged<Connection>.fromOpaque(opened)) }
    }
}

/// MHD_OPTION_URI_LOG_CALLBACK: its result is the request's context in the other callbacks.
func requestLine(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let target = unsafe target, let slot = unsafe shim_connection_context(connection) else { return nil }
    unsafe Unmanaged<Connection>.fromOpaque(slot)._withUnsafeGuaranteedRef {
        $0.begin(target: unsafe Octets(cString: target))
    }
    unsafe hideQuery(of: target)
    return unsafe slot
}

/// Keeps the library from parsing the query.
///
/// It would make a list that nothing reads, in the memory that the header needs, and refuse the request if that runs
/// out. The buffer is writable, and an empty query makes no list.
private func hideQuery(of target: UnsafePointer<CChar>) {
    guard let mark = unsafe strchr(target, Int32(UInt8(ascii: "?"))), unsafe mark[1] != 0 else { return }
    unsafe mark[1] = 0
}

/// MHD_AccessHandlerCallback.
func handle(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ upload: UnsafePointer<CChar>?,
    _ uploadSize: UnsafeMutablePointer<Int>?, _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let uploadSize = unsafe uploadSize, let opened = unsafe slot?.pointee, let method = unsafe method,
        let version = unsafe version
    else { return .NO }
    return unsafe Unmanaged<Connection>.fromOpaque(opened)._withUnsafeGuaranteedRef {
        let piece = unsafe UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
        unsafe uploadSize.pointee = 0
        return unsafe $0.proceed(method: method, version: version, piece: piece) ? .YES : .NO
    }
}

/// MHD_RequestCompletedCallback.
func requestCompleted(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_RequestTerminationCode
) {
    guard let opened = unsafe slot?.pointee else { return }
    unsafe Unmanaged<Connection>.fromOpaque(opened)._withUnsafeGuaranteedRef {
        $0.finish(completed: code == .REQUEST_TERMINATED_COMPLETED_OK)
    }
}

/// MHD_KeyValueIteratorN.
func collectField(
    _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?, _ nameSize: Int,
    _ value: UnsafePointer<CChar>?, _ valueSize: Int
) -> MHD_Result {
    guard let context = unsafe context, let name = unsafe name else { return .NO }
    let value = unsafe value ?? name + nameSize
    unsafe Unmanaged<Request>.fromOpaque(context)._withUnsafeGuaranteedRef {
        $0.parts.fields.append(
            FieldLine(name: unsafe Octets(name, count: nameSize), value: unsafe Octets(value, count: valueSize)))
    }
    return .YES
}

/// MHD_OPTION_UNESCAPE_CALLBACK: decodes nothing, because targets are split before they are decoded.
func leaveEscaped(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ text: UnsafeMutablePointer<CChar>?
) -> Int {
    guard let text = unsafe text else { return 0 }
    return unsafe strlen(text)
}

/// MHD_ContentReaderCallback.
func readBodyStream(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ room: Int
) -> Int {
    guard let context = unsafe context else { return -2 }
    return unsafe Unmanaged<StreamReader>.fromOpaque(context)._withUnsafeGuaranteedRef {
        unsafe $0.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: room))
    }
}

/// MHD_ContentReaderFreeCallback.
func releaseBodyStream(_ context: UnsafeMutableRawPointer?) {
    if let context = unsafe context { unsafe Unmanaged<StreamReader>.fromOpaque(context).release() }
}

/// MHD_ContentReaderFreeCallback of a body in memory.
func releaseBody(_ context: UnsafeMutableRawPointer?) {
    if let context = unsafe context { unsafe Unmanaged<Response.Body>.fromOpaque(context).release() }
}

/// MHD_PanicCallback: the library has found a fatal fault, and its behaviour after a return is undefined.
func panicked(
    _ context: UnsafeMutableRawPointer?, _ file: UnsafePointer<CChar>?, _ line: UInt32,
    _ reason: UnsafePointer<CChar>?
) {
    abort()
}
