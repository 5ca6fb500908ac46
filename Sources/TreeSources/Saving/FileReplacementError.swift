internal import Glibc
internal import PropertyLists

/// The error for a file that could not be replaced: the step that failed, the error number, and the file or folder
/// concerned.
struct FileReplacementError: Error, Equatable {
    let step: FileReplacement.Step
    /// The error number (`errno(3)`), such as `ENOSPC`.
    let code: Int32
    let path: String
    /// Whether it is unknown which content the file has after a power failure: the old or the new content.
    var isUnknown = false

    var withUnknownOutcome: FileReplacementError {
        FileReplacementError(step: step, code: code, path: path, isUnknown: true)
    }
}

extension FileReplacementError: CustomStringConvertible {
    /// `/srv/Data.plist.new cannot be written: No space left on device`, without the final full stop.
    var description: String {
        let place = "\(path: path)"
        let reason = SystemReason.text(code)
        return switch step {
        case .create: "\(place) cannot be created: \(reason)"
        case .setMode: "the permissions of \(place) cannot be set: \(reason)"
        case .write: "\(place) cannot be written: \(reason)"
        case .sync: "\(place) cannot be written to disk: \(reason)"
        case .setAttributes: "the owner, permissions and attributes of \(place) cannot be set: \(reason)"
        case .rename, .exchange, .verify: "\(place) cannot be replaced: \(reason)"
        case .restore:
            "\(place) was saved by another program, too; its content is kept in a hidden file beside it: \(reason)"
        case .remove: "\(place) cannot be removed: \(reason)"
        case .syncFolder, .syncUndo:
            "the folder \(place) cannot be written to disk: \(reason)"
                + (isUnknown ? "; it is not known whether the new content outlasts a power failure" : "")
        }
    }
}

extension SaveError {
    /// The outcome for the client whose edit failed in this step.
    init(_ error: FileReplacementError) {
        switch error.code {
        case _ where error.isUnknown: self = .unknown(error.description)
        case ENOSPC, EDQUOT: self = .noSpace(error.description)
        case EROFS: self = .unwritable(.readOnlyFileSystem)
        case EACCES, EPERM: self = .unwritable(error.step == .create ? .readOnlyFolder : .readOnlyFile)
        // Another process of this program is saving the file.
        case EWOULDBLOCK where error.step == .create: self = .changedMeanwhile
        default: self = .failed(error.description)
        }
    }
}
