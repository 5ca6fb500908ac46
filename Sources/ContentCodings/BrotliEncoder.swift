import CBrotli
import Heap

/// Encodes one body as Brotli (RFC 7932); the sole owner of an encoder's state.
@safe
public struct BrotliEncoder: ~Copyable, ContentEncoder {
    /// The library's encoder; nil for a lack of memory.
    private let state: OpaquePointer?
    private let workspace: Workspace?

    /// At this quality, bodies are smaller than with gzip at any level. A quality that makes bodies still smaller takes
    /// many times as long.
    private static let quality: UInt32 = 5
    /// A window of 4 MiB. For a body of known size, the library uses a smaller window if possible.
    private static let windowBits: UInt32 = 22
    /// A window of 256 KiB, because a larger window would take megabytes for each reading client.
    private static let streamWindowBits: UInt32 = 18

    /// The estimated memory for a body of any length: the window, the table for this quality, and the commands of a
    /// block.
    public static let streamBytes = 2 << 20
    /// The maximum memory for a body of known length.
    private static func bytes(forBody count: Int) -> Int { 2 * streamBytes + 4 * min(count, 1 << windowBits) }

    /// Creates an encoder whose memory is bounded, whatever the length of the body.
    public init() { self.init(bodyBytes: nil, in: nil) }

    /// - Parameters:
    ///   - bodyBytes: the length of the body, if it is known.
    ///   - workspace: holds the tables. The encoder gives the workspace back when it ends.
    init(bodyBytes: Int?, in workspace: Workspace?) {
        self.workspace = workspace
        let opaque = unsafe workspace.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
        // The library ends the process if an allocation fails, so an encoder is created only if there is memory for all
        // its allocations.
        let isSmall = workspace != nil && bodyBytes.map { $0 <= Workspace.sufficesForBytes } ?? false
        guard isSmall || MemoryBudget.hasRoom(for: bodyBytes.map(Self.bytes) ?? Self.streamBytes) else {
            unsafe state = nil
            return
        }
        unsafe state = BrotliEncoderCreateInstance(
            workspace == nil ? nil : allocateForBrotli, workspace == nil ? nil : freeInWorkspace, opaque)
        guard unsafe state != nil else { return }
        set(BROTLI_PARAM_QUALITY, to: Self.quality)
        set(BROTLI_PARAM_LGWIN, to: bodyBytes == nil ? Self.streamWindowBits : Self.windowBits)
        if let bodyBytes { set(BROTLI_PARAM_SIZE_HINT, to: UInt32(clamping: bodyBytes)) }
    }

    deinit {
        unsafe BrotliEncoderDestroyInstance(state)
        workspace?.giveBack()
    }

    private func set(_ parameter: BrotliEncoderParameter, to value: UInt32) {
        let isSet = unsafe BrotliEncoderSetParameter(state, parameter, value)
        precondition(isSet != 0, "Brotli has no such parameter")
    }

    public mutating func encode(_ piece: Span<UInt8>, isLast: Bool, to take: (Span<UInt8>) -> Void) -> Bool {
        guard let state = unsafe state else { return false }
        return unsafe piece.withUnsafeBytes { bytes in
            var next = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var rest = bytes.count
            var isFinished = !isLast
            repeat {
                // Without an output buffer the encoder keeps its output for `BrotliEncoderTakeOutput`.
                var room = 0
                let operation = isLast ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_PROCESS
                let isWell = unsafe BrotliEncoderCompressStream(state, operation, &rest, &next, &room, nil, nil)
                // The call fails only if memory is exhausted, or after the end.
                guard isWell != 0 else { return false }
                takeOutput(take)
                if isLast { isFinished = unsafe BrotliEncoderIsFinished(state) != 0 }
            } while rest > 0 || !isFinished
            return true
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
