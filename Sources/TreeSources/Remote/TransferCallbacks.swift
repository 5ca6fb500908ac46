internal import CCurl

/// The C side of `Reception.takeHeader` (`CURLOPT_HEADERFUNCTION(3)`).
///
/// Any result other than the number of bytes ends the transfer.
func receiveHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context else { return 0 }
    let reception = unsafe Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue()
    let isTaken = unsafe reception.takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
    return isTaken ? size * count : 0
}

/// The C side of `Reception.takeBody` (`CURLOPT_WRITEFUNCTION(3)`), with the same rule.
func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context else { return 0 }
    let reception = unsafe Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue()
    let isTaken = unsafe reception.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
    return isTaken ? size * count : 0
}

/// The C side of `TransferSockets.watch` (`CURLMOPT_SOCKETFUNCTION(3)`).
func watchSocket(
    _ transfer: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ action: Int32,
    _ context: UnsafeMutableRawPointer?, _ own: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context = unsafe context else { return 0 }
    unsafe Unmanaged<TransferSockets>.fromOpaque(context).takeUnretainedValue().watch(socket, for: action)
    return 0
}
