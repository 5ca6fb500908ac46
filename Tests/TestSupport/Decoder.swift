import CBrotli
import CZlib
import ContentCodings

/// Decodes the output of the encoders, with the decoders of the same libraries.
enum Decoder {
    /// The decoded body; nil if it is incomplete, or followed by other bytes.
    static func decode(_ coded: [UInt8], _ coding: ContentCoding) -> [UInt8]? {
        switch coding {
        case .identity: coded
        case .gzip: gunzip(coded)
        case .brotli: unbrotli(coded)
        }
    }

    private static func gunzip(_ coded: [UInt8]) -> [UInt8]? {
        var (coded, body, piece) = (coded, [UInt8](), [UInt8](repeating: 0, count: 10_000))
        var stream = unsafe z_stream()
        guard unsafe shim_inflate_init(&stream, 15 + 16) == Z_OK else { return nil }
        defer { unsafe inflateEnd(&stream) }
        return unsafe coded.withUnsafeMutableBufferPointer { input in
            unsafe stream.next_in = input.baseAddress
            unsafe stream.avail_in = UInt32(input.count)
            while true {
                let (outcome, made) = unsafe piece.withUnsafeMutableBufferPointer { output in
                    unsafe stream.next_out = output.baseAddress
                    unsafe stream.avail_out = UInt32(output.count)
                    let outcome = unsafe inflate(&stream, Z_NO_FLUSH)
                    return unsafe (outcome, output.count - Int(stream.avail_out))
                }
                body += piece[..<made]
                if outcome == Z_STREAM_END { return unsafe stream.avail_in == 0 ? body : nil }
                // Where there is nothing left to read and nothing came of it, the body was cut short.
                guard outcome == Z_OK, made > 0 else { return nil }
            }
        }
    }

    private static func unbrotli(_ coded: [UInt8]) -> [UInt8]? {
        guard let state = unsafe BrotliDecoderCreateInstance(nil, nil, nil) else { return nil }
        defer { unsafe BrotliDecoderDestroyInstance(state) }
        var body: [UInt8] = []
        return unsafe coded.withUnsafeBufferPointer { input in
            var next = input.baseAddress
            var rest = input.count
            while true {
                var room = 0
                let outcome = unsafe BrotliDecoderDecompressStream(state, &rest, &next, &room, nil, nil)
                var size = 0
                if let made = unsafe BrotliDecoderTakeOutput(state, &size) {
                    body += unsafe Array(UnsafeBufferPointer(start: made, count: size))
                }
                if outcome == BROTLI_DECODER_RESULT_SUCCESS { return rest == 0 ? body : nil }
                guard outcome == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT else { return nil }
            }
        }
    }
}
