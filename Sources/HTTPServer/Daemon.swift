import CMicroHTTPD

/// The one owner of a library daemon: stopped when it goes.
@safe
struct Daemon: ~Copyable {
    private let pointer: OpaquePointer

    init?(listener: borrowing Listener, configuration: Server.Configuration, service: Service) {
        let pointer = unsafe shim_start_daemon(
            UInt32(configuration.threads), listener.descriptor, configuration.headerLimit + 8 * 1024,
            UInt32(configuration.connectionLimit), UInt32(configuration.connectionLimitPerAddress), handle,
            requestLine, leaveEscaped, requestCompleted, notifyConnection,
            Unmanaged.passUnretained(service).toOpaque())
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.pointer = pointer
    }

    deinit { unsafe MHD_stop_daemon(pointer) }

    /// Stops accepting; what is connected goes on.
    func quiesce() { _ = unsafe MHD_quiesce_daemon(pointer) }
}
