/// A failed system call: its error number, and the file or folder concerned.
struct SystemFailure: Error {
    let code: Int32
    let path: String
}
