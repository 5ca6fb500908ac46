internal import CPostgres
internal import Glibc

/// A connection to a PostgreSQL server, and the only owner of its PGconn. The PGconn is in libpq's non-blocking mode.
///
/// Each wait for the server lasts at most `patience`.
@safe
final class PostgresConnection {
    private let handle: OpaquePointer
    /// Whether the connection is lost. If it is, every call fails.
    private(set) var isLost = false
    /// The names of the statements that were prepared on this connection, by their texts.
    private var prepared: [String: String] = [:]

    /// The longest time to wait while the server sends nothing. The default is longer than the server's time limit for
    /// a statement.
    var patience = Duration.seconds(40)

    /// Returns true if nobody wants the result of the running statement any more. The statement is then cancelled.
    /// Called repeatedly while the connection waits for the server. Nil to let statements end by themselves.
    var isUnwanted: (() -> Bool)?
    /// When the cancellation of the running statement may next be asked for. The server ignores a cancellation that
    /// arrives before it has read the statement, so one is not enough.
    private var nextCancellation: ContinuousClock.Instant?

    /// Connects to the server. Waits at most for the time in the parameter `connect_timeout`.
    ///
    /// - Parameter parameters: the parameters of the connection, by libpq's names.
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

    /// The file descriptor of the connection, for `poll(2)`; negative if the connection is gone.
    var socket: Int32 { unsafe PQsocket(handle) }

    /// Marks the connection as lost, so that no further statement uses it.
    func giveUp() { isLost = true }

    /// Whether a transaction is open, including a transaction in which a statement has failed.
    var isInTransaction: Bool { unsafe PQtransactionStatus(handle) != PQTRANS_IDLE }

    /// Returns a text as a literal with its quotes, for a statement that cannot have bound values.
    func quoted(literal text: String) -> String {
        // Escaping fails only if memory is exhausted. The statement then fails, too.
        guard let quoted = unsafe PQescapeLiteral(handle, text, text.utf8.count) else { return "" }
        defer { unsafe PQfreemem(quoted) }
        return unsafe String(cString: quoted)
    }

    // MARK: Statements

    /// Runs one or more statements in one text, and returns the first row of the last result; nil without rows.
    @discardableResult
    func run(_ text: String) throws(PostgresFailure) -> [DatabaseValue]? {
        nextCancellation = nil
        try check(unsafe PQsendQuery(handle, text))
        return try results().rows.first
    }

    /// Runs one statement, and returns the rows of its result.
    @discardableResult
    func query(_ sql: SQL) throws(PostgresFailure) -> [[DatabaseValue]] {
        try send(sql)
        return try results().rows
    }

    /// Returns the names and the types of the columns of a query.
    func columns(of sql: SQL) throws(PostgresFailure) -> [(name: String, type: UInt32)] {
        try send(sql)
        let result = try results()
        return (0..<result.columnCount).map { (result.name(ofColumn: $0), result.type(ofColumn: $0)) }
    }

    /// Runs one statement, and calls a closure with each row as soon as the row arrives.
    ///
    /// - Parameter take: returns false to cancel the statement. The closure is not called again then.
    func stream(
        _ sql: SQL, take: (PostgresRow) -> Bool
    ) throws(PostgresFailure) {
        try send(sql)
        try check(unsafe PQsetSingleRowMode(handle))
        var failure: PostgresFailure?
        var isWanted = true
        while let result = try next() {
            let status = result.status
            if status == PGRES_SINGLE_TUPLE {
                guard isWanted else { continue }
                isWanted = take(PostgresRow(result))
                if !isWanted || isUnwanted?() == true { cancel() }
            } else if status != PGRES_TUPLES_OK, status != PGRES_COMMAND_OK {
                failure = failure ?? PostgresFailure(result: result, isLost: noteLoss())
                if failure?.isLost == true { isLost = true }
            }
        }
        if let failure { throw failure }
    }

    /// Asks the server to cancel the running statement (`PQcancel`). The result of the statement is then an error.
    private func cancel() {
        let now = ContinuousClock.now
        if let nextCancellation, now < nextCancellation { return }
        guard let request = unsafe PQgetCancel(handle) else { return }
        nextCancellation = now + Self.cancellationPause
        defer { unsafe PQfreeCancel(request) }
        var words = [CChar](repeating: 0, count: 256)
        _ = unsafe PQcancel(request, &words, Int32(words.count))
    }

    /// Runs statements in one round trip, in pipeline mode. After a failed statement, the remaining statements are not
    /// run.
    ///
    /// - Returns: the rows of each statement.
    /// - Throws: the first failure. If the connection is lost, it is not known which statements were run.
    @discardableResult
    func pipeline(_ statements: [SQL]) throws(PostgresFailure) -> [[[DatabaseValue]]] {
        var rows: [[[DatabaseValue]]] = []
        try check(unsafe PQenterPipelineMode(handle))
        for statement in statements { try send(statement) }
        try check(unsafe PQpipelineSync(handle))
        var failure: PostgresFailure?
        for number in statements.indices {
            do throws(PostgresFailure) {
                let result = try results()
                // If a statement of the transaction has failed, COMMIT undoes the transaction and succeeds with the
                // result ROLLBACK.
                guard statements[number] != Self.commit || result.command == "COMMIT" else {
                    isLost = true
                    throw .lost
                }
                rows.append(result.rows)
            } catch {
                guard !isLost else { throw failure ?? error }
                guard failure == nil else { continue }
                failure = error
                failure?.statement = number
            }
        }
        // The sync must be the last result. Otherwise, the results do not belong to these statements.
        try check(try next()?.status == PGRES_PIPELINE_SYNC ? 1 : 0)
        try check(unsafe PQexitPipelineMode(handle))
        if let failure { throw failure }
        return rows
    }

    static let commit: SQL = "COMMIT"

    /// Prepares the statements that are not prepared yet. From then on, statements with these texts are only executed.
    func prepare(_ statements: [SQL]) throws(PostgresFailure) {
        for text in statements.map(\.numberedText) where prepared[text] == nil {
            let name = "drilldown_\(prepared.count)"
            try check(unsafe PQsendPrepare(handle, name, text, 0, nil))
            _ = try results()
            prepared[text] = name
        }
    }

    /// Sends a statement. The values are sent as text, and the server reads each as the type that it expects in that
    /// place.
    private func send(_ sql: SQL) throws(PostgresFailure) {
        nextCancellation = nil
        let text = sql.numberedText
        let values = sql.values.map(\.postgresText)
        // Each value ends with a zero byte. The pointer of an empty value must not be nil: a nil pointer would mean
        // SQL's NULL.
        let all = values.reduce(into: []) { $0 += ($1 ?? []) + [0] }
        let isSent = unsafe all.withUnsafeBytes { bytes in
            var pointers: [UnsafePointer<CChar>?] = unsafe []
            var offset = 0
            let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            for value in values {
                unsafe pointers.append(value == nil ? nil : start.map { unsafe $0 + offset })
                offset += (value?.count ?? 0) + 1
            }
            let count = Int32(values.count)
            guard let name = prepared[text] else {
                return unsafe PQsendQueryParams(handle, text, count, nil, pointers, nil, nil, 0)
            }
            return unsafe PQsendQueryPrepared(handle, name, count, pointers, nil, nil, 0)
        }
        try check(isSent)
    }

    /// Reads the results of the statements that were sent, and returns the last result.
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

    /// Returns the next result; nil at the end of a statement's results.
    private func next() throws(PostgresFailure) -> PostgresResult? {
        guard !isLost else { throw .lost }
        try flush()
        while unsafe PQisBusy(handle) != 0 { try wait(for: POLLIN) }
        return unsafe PostgresResult(PQgetResult(handle))
    }

    // MARK: COPY

    /// Runs a COPY to the client, and calls a closure for each piece. A piece is a whole row or the end mark. The first
    /// piece may begin with the header.
    ///
    /// - Throws: the error of `take`, or the error that `failing` returns for a failure. After an error of `take`, the
    ///   connection is lost, because the remaining pieces were not read.
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

    /// Ends a COPY from the client. When this returns, the server has taken all rows.
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

    /// Sends the data that libpq has buffered. Reads input at the same time, because a server that cannot send its
    /// results takes no data.
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

    /// The time between two calls of `isUnwanted`. An unwanted statement may run for this time before it is cancelled.
    private static let interruption = Duration.milliseconds(5)

    /// The time after which the server is asked again to cancel a statement that still runs.
    private static let cancellationPause = Duration.milliseconds(100)

    private func check(_ isDone: Int32) throws(PostgresFailure) {
        guard isDone == 1, !isLost else { throw noteFailure() }
    }

    /// Marks the connection as lost, because libpq refused a call. The connection is gone or in an unexpected state.
    private func noteFailure() -> PostgresFailure {
        isLost = true
        return .lost
    }

    private func noteLoss() -> Bool {
        if unsafe PQstatus(handle) != CONNECTION_OK { isLost = true }
        return isLost
    }
}

/// Ignores a notice. Without this function, libpq writes notices to standard error (`PQnoticeProcessor`).
private func ignoreNotice(_ context: UnsafeMutableRawPointer?, _ message: UnsafePointer<CChar>?) {}
