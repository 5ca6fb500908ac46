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
        let opened = unsafe service._withUnsafeGuaranteedRef { unsafe $0.opened(ConnectionHandle(connection)) }
        unsafe slot.pointee = Unmanaged.passRetained(opened).toOpaque()
    } else if let opened = unsafe slot.pointee {
        unsafe slot.pointee = nil
        let closed = unsafe Unmanaged<Connection>.fromOpaque(opened).takeRetainedValue()
        unsafe service._withUnsafeGuaranteedRef { $0.closed(closed) }
    }
}

/// MHD_OPTION_URI_LOG_CALLBACK. The library passes the result to the other callbacks as the request's context.
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

/// Keeps the library from parsing the query, by emptying the query in the library's buffer.
///
/// The library would store the parameters in a list that nothing reads. The list would take memory that the header
/// needs, and the library would refuse the request if this memory ran out. The buffer is writable, and the library
/// makes no list for an empty query.
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
        let piece = unsafe Octets(text: upload ?? method, count: uploadSize.pointee)
        unsafe uploadSize.pointee = 0
        let isOpen = unsafe $0.proceed(
            method: Octets(cString: method), version: Octets(cString: version), piece: piece)
        return isOpen ? .YES : .NO
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

/// MHD_OPTION_UNESCAPE_CALLBACK. Decodes nothing, because the service splits a target before it decodes the parts.
func leaveEscaped(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ text: UnsafeMutablePointer<CChar>?
) -> Int {
    guard let text = unsafe text else { return 0 }
    return unsafe strlen(text)
}

/// MHD_PanicCallback. The library has found a fatal fault; its behaviour is undefined if this callback returns.
func panicked(
    _ context: UnsafeMutableRawPointer?, _ file: UnsafePointer<CChar>?, _ line: UInt32,
    _ reason: UnsafePointer<CChar>?
) {
    abort()
}
