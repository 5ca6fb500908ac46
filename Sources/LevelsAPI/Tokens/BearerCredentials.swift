import Bytes
import HTTPServer

/// The token in the `Authorization` field of a request (RFC 6750, section 2.1).
enum BearerCredentials {
    /// Copies the token; nil without one, and for another scheme.
    static func token(of request: Request) -> [UInt8]? {
        guard request.has(.authorization) else { return nil }
        var token: [UInt8]?
        var lines = 0
        request.forEachLine(of: .authorization) { line in
            lines += 1
            token = read(line)
        }
        return lines == 1 ? token : nil
    }

    private static func read(_ line: Span<UInt8>) -> [UInt8]? {
        let end = line.index(of: UInt8(ascii: " "))
        guard end < line.count, line.extracting(0..<end).isEqual(ignoringCase: "bearer") else { return nil }
        var start = end
        while start < line.count, line[start] == UInt8(ascii: " ") { start += 1 }
        return start < line.count ? Array(copying: line.extracting(start..<line.count)) : nil
    }
}
