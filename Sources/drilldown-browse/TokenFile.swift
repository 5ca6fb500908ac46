import Foundation

/// A file that holds a token, in the form of the service's own files: a line a token, with a name before it if it has one.
enum TokenFile {
    /// The first token of a file.
    ///
    /// - Throws: `Failure` if there is none.
    static func token(in path: String) throws(Failure) -> String {
        let text: String
        do {
            text = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
        } catch {
            throw Failure(
                description: "The token file '\(DisplayText(path))' cannot be read: \(error.localizedDescription)")
        }
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            if let token = line.split(whereSeparator: \.isWhitespace).last { return String(token) }
        }
        throw Failure(description: "The token file '\(DisplayText(path))' has no line with a token.")
    }

    /// A file without a token, in a sentence.
    struct Failure: Error, Equatable, CustomStringConvertible {
        let description: String
    }
}
