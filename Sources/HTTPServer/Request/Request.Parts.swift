extension Request {
    /// The parts that change from one request on a connection to the next.
    struct Parts: ~Copyable {
        var method = Method.other
        var target = OctetBuffer()
        var fields = FieldLines()
        var body: [UInt8] = []
        /// Version and header of the last request with a valid header, because most clients send the same again.
        var checkedHeader = OctetBuffer()

        mutating func fault(by check: HeaderCheck, limit: Int) -> Fault? {
            check.fault(in: fields, limit: limit, checked: &checkedHeader)
        }

        /// Removes the request; its memory is kept for the next one, except that of the body.
        mutating func reset() {
            fields.removeAll()
            if !body.isEmpty { body = [] }
        }

        /// Frees the memory that is kept from request to request.
        ///
        /// - Parameter keepingTarget: whether the target is still needed.
        mutating func shrink(keepingTarget: Bool) {
            if !keepingTarget { target.shrink() }
            fields.shrink()
            checkedHeader.shrink()
            body = []
        }
    }

    /// The parts are behind a pointer: as properties of a class, each access would be checked for exclusivity at run
    /// time, which cost 1,000 instructions per request.
    var parts: Parts {
        _read { yield unsafe storage.pointee }
        _modify { yield unsafe &storage.pointee }
    }
}
