import Foundation

/// A file that holds a token, in the form of the service's own files: a line a token, with a name before it if it has one.
enum TokenFile {
    /// The first token of a file.
    ///
    /// - Throws: `BrowseArguments.Failure` if there is none.
    static func token(in path: String) throws(BrowseArguments.Failure) -> String {
        let text: String
        do {
            text = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
        } catch {
            throw BrowseArguments.Failure(
                description: "The token file '\(DisplayText(path))' cannot be read: \(error.localizedDescription)")
        }
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            if let token = line.split(whereSeparator: \.isWhitespace).last { return String(token) }
        }
        throw BrowseArguments.Failure(description: "The token file '\(DisplayText(path))' has no line with a token.")
    }
}
