internal import Bytes
internal import CUTF8Proc
internal import PropertyLists

/// Unicode NFC (UAX #15) with the tables of utf8proc.
///
/// `utf8proc_map` orders marks by swapping neighbours, which takes seconds for 40,000 marks. This implementation sorts
/// each run of marks, and leaves the rest to utf8proc.
package enum NormalizationFormC {
    private static let options = utf8proc_option_t(rawValue: UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue)

    /// The text in NFC, in O(n log n); invalid UTF-8 stays as it is.
    package static func text(of text: Span<UInt8>) -> [UInt8] {
        // Decomposition yields at most two code points for each byte.
        let capacity = text.count * 2 + 1
        var isValid = true
        var codePoints = unsafe [Int32](unsafeUninitializedCapacity: capacity) { buffer, count in
            let decomposed = unsafe decompose(text, into: buffer)
            isValid = decomposed != nil
            count = decomposed ?? 0
        }
        guard isValid else { return Array(copying: text) }
        MarkOrder.settle(&codePoints)
        return compose(&codePoints)
    }

    /// Writes the canonical decomposition of each code point; returns the number of code points, or nil for invalid
    /// UTF-8.
    private static func decompose(_ text: Span<UInt8>, into buffer: UnsafeMutableBufferPointer<Int32>) -> Int? {
        unsafe text.withUnsafeBufferPointer { source -> Int? in
            var (taken, written) = (0, 0)
            while taken < source.count {
                var codePoint: Int32 = 0
                let size = unsafe utf8proc_iterate(
                    source.baseAddress?.advanced(by: taken), source.count - taken, &codePoint)
                guard size > 0 else { return nil }
                taken += size
                let room = buffer.count - written
                let count = unsafe utf8proc_decompose_char(
                    codePoint, buffer.baseAddress?.advanced(by: written), room, options, nil)
                guard count >= 0, count < room else { return nil }
                written += count
            }
            return written
        }
    }

    private static func compose(_ codePoints: inout [Int32]) -> [UInt8] {
        let count = codePoints.count
        // The result overwrites the code points, and a zero byte follows the result.
        codePoints.append(0)
        return unsafe codePoints.withUnsafeMutableBufferPointer { buffer in
            let size = unsafe max(0, utf8proc_reencode(buffer.baseAddress, count, options))
            return unsafe Array(UnsafeRawBufferPointer(buffer).prefix(size))
        }
    }
}

/// The Canonical Ordering Algorithm (The Unicode Standard, section 3.11, D109).
private enum MarkOrder {
    /// Sorts each run of marks by combining class; the sort is stable.
    static func settle(_ codePoints: inout [Int32]) {
        var index = 0
        while index < codePoints.count {
            guard combiningClass(codePoints[index]) != 0 else {
                index += 1
                continue
            }
            var run = [key(of: codePoints[index], at: index)]
            index += 1
            while index < codePoints.count, combiningClass(codePoints[index]) != 0 {
                run.append(key(of: codePoints[index], at: index))
                index += 1
            }
            guard run.count > 1 else { continue }
            run.sort()
            let start = index - run.count
            for (offset, key) in run.enumerated() {
                codePoints[start + offset] = Int32(truncatingIfNeeded: key & 0x1F_FFFF)
            }
        }
    }

    /// The sort key of a mark: its combining class, its place, and in the lowest 21 bits the code point.
    private static func key(of codePoint: Int32, at place: Int) -> UInt64 {
        UInt64(combiningClass(codePoint)) << 56 | UInt64(place) << 21 | UInt64(codePoint)
    }

    private static func combiningClass(_ codePoint: Int32) -> UInt8 {
        // All marks are from U+0300 on.
        guard codePoint >= 0x300 else { return 0 }
        return unsafe UInt8(truncatingIfNeeded: utf8proc_get_property(codePoint).pointee.combining_class)
    }
}
