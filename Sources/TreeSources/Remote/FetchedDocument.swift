/// A whole document in a temporary file.
final class FetchedDocument {
    let file: DocumentFile
    let validators: Validators
    let isWaitApplied: Bool

    init(file: consuming DocumentFile, validators: Validators, isWaitApplied: Bool) {
        self.file = file
        self.validators = validators
        self.isWaitApplied = isWaitApplied
    }
}
