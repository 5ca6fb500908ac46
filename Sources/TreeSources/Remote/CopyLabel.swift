/// What is known about a copy beyond its content: its origin, the origin's validators, and the state of the file.
struct CopyLabel: Equatable {
    let origin: String
    let validators: Validators
    /// Bytes of the copy.
    let size: Int
    /// When it was written, in nanoseconds since 1970.
    let modified: Int64

    init(origin: String, validators: Validators, of file: FileIdentity) {
        self.origin = origin
        self.validators = validators
        size = file.size
        modified = file.modified
    }

    /// Whether a file is still the one that the label was written for; another file may have replaced it.
    func isOf(_ file: FileIdentity) -> Bool { file.size == size && file.modified == modified }

    // MARK: As a text, a line for each

    private static let heading = "drilldown copy 1"

    init?(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 7, lines[0] == Self.heading, let size = Int(lines[4]), let modified = Int64(lines[5])
        else {
            return nil
        }
        origin = lines[1]
        validators = Validators(
            entityTag: lines[2].isEmpty ? nil : lines[2], lastModified: lines[3].isEmpty ? nil : lines[3])
        self.size = size
        self.modified = modified
    }

    var text: String {
        let lines = [
            Self.heading, origin, validators.entityTag ?? "", validators.lastModified ?? "", "\(size)", "\(modified)",
        ]
        return lines.map { $0 + "\n" }.joined()
    }
}
