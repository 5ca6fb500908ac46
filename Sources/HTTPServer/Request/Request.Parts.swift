extension Request {
    /// What changes from one request on a connection to the next.
    struct Parts: ~Copyable {
        var method = Method.other
        var target = OctetBuffer()
        var fields = FieldLines()
        var body: [UInt8] = []
        /// Version and header of the last request whose header was found right: most clients send the same again.
        var checkedHeader = OctetBuffer()

        mutating func fault(by check: HeaderCheck, limit: Int) -> Fault? {
            check.fault(in: fields, limit: limit, checked: &checkedHeader)
        }

        /// Forgets the request; the memory that it needed is kept for the next, but for its body.
        mutating func reset() {
            fields.removeAll()
            if !body.isEmpty { body = [] }
        }

        /// Gives up the memory that is kept from request to request, but for that of the target where it is wanted.
        mutating func shrink(keepingTarget: Bool) {
            if !keepingTarget { target.shrink() }
            fields.shrink()
            checkedHeader.shrink()
            body = []
        }
    }

    /// The parts lie behind a pointer: as properties of a class each access to one would be checked at run time
    /// for overlapping with another, which cost 1,000 instructions per request.
    var parts: Parts {
        _read { yield unsafe storage.pointee }
        _modify { yield unsafe &storage.pointee }
    }
}
