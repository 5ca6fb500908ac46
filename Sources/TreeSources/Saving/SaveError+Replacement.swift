internal import Glibc

extension SaveError {
    /// What a failed step of a replacement means for the client that edits.
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
