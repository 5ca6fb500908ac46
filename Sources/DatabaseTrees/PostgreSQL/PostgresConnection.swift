internal import CPostgres
internal import Glibc

/// One connection to a PostgreSQL server: the one owner of a PGconn, in libpq's non-blocking mode.
///
/// Each call waits for the server at most `patience`.
@safe
final class PostgresConnection {
    private let handle: OpaquePointer
    /// Whether the connection is lost; every call then fails.
    private(set) var isLost = false
    /// The statements that were prepared on this connection.
    var prepared: Set<String> = []

    /// The longest wait for the server without a byte from it; by default longer than the server lets a statement run.
    var patience = Duration.seconds(40)

    /// Whether the statement that runs is to be cancelled; asked while it is waited for. Nil to let it end by itself.
    var isUnwanted: (() -> Bool)?
    /// Whether the statement that runs was cancelled.
    private var isCancelled = false

    /// Connects, and waits for the server at most its `connect_timeout`.
    ///
    /// - Parameter parameters: by libpq's names.
    init(_ parameters: [(name: String, value: String)]) throws(PostgresFailure) {
        var names = unsafe parameters.map { unsafe UnsafePointer<CChar>(strdup($0.name)) }
        var values = unsafe parameters.map { unsafe UnsafePointer<CChar>(strdup($0.value)) }
        let copies = unsafe names + values
        defer { for index in unsafe copies.indices { unsafe free(UnsafeMutablePointer(mutating: copies[index])) } }
        unsafe names.append(nil)
        unsafe values.append(nil)
        guard let handle = unsafe PQconnectdbParams(names, values, 0) else {
            throw PostgresFailure(connecting: "there is no memory for a connection", needsPassword: false)
        }
        guard unsafe PQstatus(handle) == CONNECTION_OK else {
            let words = unsafe String(cString: PQerrorMessage(handle))
            let needsPassword = unsafe PQconnectionNeedsPassword(handle) != 0
            unsafe PQfinish(handle)
            throw PostgresFailure(connecting: words, needsPassword: needsPassword)
        }
        unsafe self.handle = handle
        unsafe PQsetNoticeProcessor(handle, ignoreNotice, nil)
        unsafe PQsetnonblocking(handle, 1)
    }

    deinit { unsafe PQfinish(handle) }

    /// For `poll(2)`; negative if the connection is gone.
    var socket: Int32 { unsafe PQsocket(handle) }

    /// Lets no further statement use the connection.
    func giveUp() { isLost = true }

    /// Whether a transaction is open, even if a statement in it has failed.
    var isInTransaction: Bool { unsafe PQtransactionStatus(handle) != PQTRANS_IDLE }

    /// A name as an identifier in a statement, with its quotes.
    func quoted(identifier name: String) -> String { unsafe quoted(name, by: PQescapeIdentifier) }

    /// A text as a literal in a statement that takes no values, with its quotes.
    func quoted(literal text: String) -> String { unsafe quoted(text, by: PQescapeLiteral) }

    private func quoted(
        _ text: String, by escape: (OpaquePointer?, UnsafePointer<CChar>?, Int) -> UnsafeMutablePointer<CChar>?
    ) -> String {
        // It fails only for text that is not UTF-8, and if memory is exhausted; then the statement fails too.
        guard let quoted = unsafe escape(handle, text, text.utf8.count) else { return "" }
        defer { unsafe PQfreemem(quoted) }
        return unsafe String(cString: quoted)
    }

    // MARK: Statements

    /// Runs a text of one or more statements that return nothing of interest.
    func run(_ text: String) throws(PostgresFailure) {
        _ = try query(text)
    }

    /// Runs one statement.
    func query(_ statement: PostgresStatement) throws(PostgresFailure) -> PostgresResult {
        try send(statement)
        return try results()
    }

    /// Runs a text of one or more statements, and returns the result of the last.
    func query(_ text: String) throws(PostgresFailure) -> PostgresResult {
        isCancelled = false
        try check(unsafe PQsendQuery(handle, text))
        return try results()
    }

    /// Runs one statement, and gives each row to a closure as soon as it arrives.
    ///
    /// - Parameter take: returns false to cancel the statement; the rest of its rows is not given.
    func stream(
        _ statement: PostgresStatement, take: (PostgresRow) -> Bool
    ) throws(PostgresFailure) {
        try send(statement)
        try check(unsafe PQsetSingleRowMode(handle))
        var failure: PostgresFailure?
        var isWanted = true
        while let result = try next() {
            let status = result.status
            if status == PGRES_SINGLE_TUPLE {
                guard isWanted else { continue }
                isWanted = take(PostgresRow(result))
                if !isWanted { cancel() }
            } else if status != PGRES_TUPLES_OK, status != PGRES_COMMAND_OK {
                failure = failure ?? PostgresFailure(result: result, isLost: noteLoss())
                if failure?.isLost == true { isLost = true }
            }
        }
        if let failure { throw failure }
    }

    /// Asks the server to end the statement that runs (`PQcancel`); its result is an error then.
    private func cancel() {
        guard !isCancelled, let request = unsafe PQgetCancel(handle) else { return }
        isCancelled = true
        defer { unsafe PQfreeCancel(request) }
        var words = [CChar](repeating: 0, count: 256)
        _ = unsafe PQcancel(request, &words, Int32(words.count))
    }

    /// Runs statements in one round trip, in pipeline mode; those after a failed one are not run.
    ///
    /// - Parameter take: called with the number of a statement and its result.
    /// - Throws: the first failure; if the connection is lost, it is not known which statements were run.
    func pipeline(
        _ statements: [PostgresStatement], take: (Int, borrowing PostgresResult) -> Void = { _, _ in }
    ) throws(PostgresFailure) {
        try check(unsafe PQenterPipelineMode(handle))
        for statement in statements { try send(statement) }
        try check(unsafe PQpipelineSync(handle))
        var failure: PostgresFailure?
        for number in statements.indices {
            do throws(PostgresFailure) {
                let result = try results()
                // After a failed statement, COMMIT undoes the transaction and reports that as its success.
                guard statements[number].text != "COMMIT" || result.command == "COMMIT" else {
                    isLost = true
                    throw .lost
                }
                take(number, result)
            } catch {
                guard !isLost else { throw failure ?? error }
                guard failure == nil else { continue }
                failure = error
                failure?.statement = number
            }
        }
        // The results end with the sync; otherwise they do not belong to the statements.
        try check(try next()?.status == PGRES_PIPELINE_SYNC ? 1 : 0)
        try check(unsafe PQexitPipelineMode(handle))
        if let failure { throw failure }
    }

    /// Prepares a statement, unless it is prepared already.
    func prepare(
        _ name: String, text: @autoclosure () -> String, types: @autoclosure () -> [PostgresValues.ValueType]
    ) throws(PostgresFailure) {
        guard !prepared.contains(name) else { return }
        let types = types().map(\.rawValue)
        try check(unsafe PQsendPrepare(handle, name, text(), Int32(types.count), types))
        _ = try results()
        prepared.insert(name)
    }

    private func send(_ statement: PostgresStatement) throws(PostgresFailure) {
        isCancelled = false
        let values = statement.values
        let isSent = unsafe values.withPointers { count, pointers, lengths, formats in
            if statement.isPrepared {
                unsafe PQsendQueryPrepared(handle, statement.text, count, pointers, lengths, formats, 0)
            } else {
                unsafe PQsendQueryParams(
                    handle, statement.text, count, values.types, pointers, lengths, formats, 0)
            }
        }
        try check(isSent)
    }

    /// The last of the results of the statements that were sent.
    private func results() throws(PostgresFailure) -> PostgresResult {
        var last: PostgresResult?
        var failure: PostgresFailure?
        while let result = try next() {
            let status = result.status
            if status == PGRES_COPY_OUT || status == PGRES_COPY_IN { return result }
            let isFailure = [PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE, PGRES_PIPELINE_ABORTED].contains(status)
            guard isFailure else {
                last = consume result
                continue
            }
            failure = failure ?? PostgresFailure(result: result, isLost: noteLoss())
            if failure?.isLost == true { isLost = true }
        }
        if let failure { throw failure }
        guard let last = last.take() else {
            isLost = true
            throw .lost
        }
        return last
    }

    /// The next result; nil at the end of a statement's results.
    private func next() throws(PostgresFailure) -> PostgresResult? {
        guard !isLost else { throw .lost }
        try flush()
        while unsafe PQisBusy(handle) != 0 { try wait(for: POLLIN) }
        return unsafe PostgresResult(PQgetResult(handle))
    }

    // MARK: COPY

    /// Calls a closure for each piece of a COPY to the client: a whole row, perhaps after the header, or the end mark.
    ///
    /// - Throws: the closure's error; the connection is lost then, because the rest was not read.
    func copyOut(
        _ statement: String, take: (Span<UInt8>) throws(DatabaseError) -> Void,
        failing: (PostgresFailure) -> DatabaseError
    ) throws(DatabaseError) {
        do throws(PostgresFailure) {
            try check(unsafe PQsendQuery(handle, statement))
            _ = try results()
        } catch {
            throw failing(error)
        }
        while true {
            var piece: UnsafeMutablePointer<CChar>?
            let count = unsafe PQgetCopyData(handle, &piece, 1)
            defer { unsafe PQfreemem(piece) }
            do throws(PostgresFailure) {
                if count == 0 { try wait(for: POLLIN) }
                if count < 0 { _ = try results() }
            } catch {
                throw failing(error)
            }
            guard count >= 0 else { return }
            guard count > 0, let start = UnsafeRawPointer(piece) else { continue }
            do throws(DatabaseError) {
                try take(unsafe Span(_unsafeStart: start.assumingMemoryBound(to: UInt8.self), count: Int(count)))
            } catch {
                isLost = true
                throw error
            }
        }
    }

    /// Begins a COPY from the client.
    func beginCopyIn(_ statement: String) throws(PostgresFailure) {
        try check(unsafe PQsendQuery(handle, statement))
        _ = try results()
    }

    /// Sends a piece of a COPY from the client.
    func copyIn(_ bytes: Span<UInt8>) throws(PostgresFailure) {
        while true {
            let isTaken = unsafe bytes.withUnsafeBytes { buffer in
                unsafe PQputCopyData(
                    handle, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count))
            }
            if isTaken == 1 { return }
            guard isTaken == 0 else { throw noteFailure() }
            try flush()
        }
    }

    /// Ends a COPY from the client; the server has taken all rows then.
    func endCopyIn() throws(PostgresFailure) {
        while true {
            let isTaken = unsafe PQputCopyEnd(handle, nil)
            if isTaken == 1 { break }
            guard isTaken == 0 else { throw noteFailure() }
            try flush()
        }
        _ = try results()
    }

    // MARK: Notifications

    /// The payloads of the notifications that have arrived; nil if the connection is gone. Does not block.
    func notifications() -> [String]? {
        guard !isLost, unsafe PQconsumeInput(handle) == 1 else {
            isLost = true
            return nil
        }
        var payloads: [String] = []
        while let notification = unsafe PQnotifies(handle) {
            defer { unsafe PQfreemem(notification) }
            if let payload = unsafe notification.pointee.extra { payloads.append(unsafe String(cString: payload)) }
        }
        return payloads
    }

    // MARK: Waiting

    /// Sends what libpq has buffered. Reads meanwhile, because a server that cannot send its results takes nothing.
    private func flush() throws(PostgresFailure) {
        while true {
            let rest = unsafe PQflush(handle)
            guard rest >= 0 else { throw noteFailure() }
            guard rest > 0 else { return }
            try wait(for: POLLIN | POLLOUT)
        }
    }

    private func wait(for events: Int32) throws(PostgresFailure) {
        var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
        let end = ContinuousClock.now + patience
        var ready: Int32 = 0
        repeat {
            if isUnwanted?() == true { cancel() }
            let time = isUnwanted == nil ? max(.zero, end - .now) : Self.interruption
            ready = unsafe poll(&entry, 1, Int32(clamping: Int(time / .milliseconds(1))))
        } while (ready == 0 || ready < 0 && errno == EINTR) && ContinuousClock.now < end
        guard ready > 0, unsafe PQconsumeInput(handle) == 1 else {
            isLost = true
            throw .lost
        }
    }

    /// How long a statement runs on after nobody wants it.
    private static let interruption = Duration.milliseconds(5)

    private func check(_ isDone: Int32) throws(PostgresFailure) {
        guard isDone == 1, !isLost else { throw noteFailure() }
    }

    /// Records that libpq does not take a call, because the connection is gone or in an unexpected state.
    private func noteFailure() -> PostgresFailure {
        isLost = true
        return .lost
    }

    private func noteLoss() -> Bool {
        if unsafe PQstatus(handle) != CONNECTION_OK { isLost = true }
        return isLost
    }
}

/// The C side of a notice, which libpq would otherwise write to standard error (`PQnoticeProcessor`).
private func ignoreNotice(_ context: UnsafeMutableRawPointer?, _ message: UnsafePointer<CChar>?) {}
