import CBrotli

/// Codes one body as Brotli (RFC 7932): the one owner of an encoder's state.
@safe
public struct BrotliEncoder: ~Copyable, ContentEncoder {
    private let state: OpaquePointer
    private let workspace: Workspace?

    /// Decision 12: smaller than gzip at any level, and the next that is smaller still takes many times as long.
    private static let quality: UInt32 = 5
    /// A window of 4 MiB, of which no more is taken than a body of known size needs.
    private static let windowBits: UInt32 = 22
    /// A window of 256 KiB, since one that looks back further would take megabytes for each client that reads.
    private static let streamWindowBits: UInt32 = 18

    /// An encoder with memory of its own, which is bounded however long the body will be.
    public init() { self.init(bodyBytes: nil, in: nil) }

    /// - Parameters:
    ///   - bodyBytes: how long the body will be, where it is known.
    ///   - workspace: where it has its tables; given back at its end.
    init(bodyBytes: Int?, in workspace: Workspace?) {
        self.workspace = workspace
        let opaque = unsafe workspace.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
        let created = unsafe BrotliEncoderCreateInstance(
            workspace == nil ? nil : allocateForBrotli, workspace == nil ? nil : freeInWorkspace, opaque)
        // It fails for want of memory, which no answer could be made without either.
        guard let created = unsafe created else { fatalError("Brotli: no memory") }
        unsafe state = created
        set(BROTLI_PARAM_QUALITY, Self.quality)
        set(BROTLI_PARAM_LGWIN, bodyBytes == nil ? Self.streamWindowBits : Self.windowBits)
        if let bodyBytes { set(BROTLI_PARAM_SIZE_HINT, UInt32(clamping: bodyBytes)) }
    }

    deinit {
        unsafe BrotliEncoderDestroyInstance(state)
        workspace?.giveBack()
    }

    private func set(_ parameter: BrotliEncoderParameter, _ value: UInt32) {
        let isSet = unsafe BrotliEncoderSetParameter(state, parameter, value)
        precondition(isSet != 0, "Brotli has no such parameter")
    }

    public mutating func encode(_ piece: Span<UInt8>, isLast: Bool, to take: (Span<UInt8>) -> Void) {
        unsafe piece.withUnsafeBytes { bytes in
            var next = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var rest = bytes.count
            var isFinished = !isLast
            repeat {
                // Without room of ours the encoder keeps what it makes, for `BrotliEncoderTakeOutput`.
                var room = 0
                let operation = isLast ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_PROCESS
                let isWell = unsafe BrotliEncoderCompressStream(state, operation, &rest, &next, &room, nil, nil)
                precondition(isWell != 0, "a Brotli encoder was used after its end")
                takeOutput(take)
                if isLast { isFinished = unsafe BrotliEncoderIsFinished(state) != 0 }
            } while rest > 0 || !isFinished
        }
    }

    private func takeOutput(_ take: (Span<UInt8>) -> Void) {
        while unsafe BrotliEncoderHasMoreOutput(state) != 0 {
            var size = 0
            guard let made = unsafe BrotliEncoderTakeOutput(state, &size), size > 0 else { return }
            take(unsafe Span(_unsafeStart: made, count: size))
        }
    }
}
