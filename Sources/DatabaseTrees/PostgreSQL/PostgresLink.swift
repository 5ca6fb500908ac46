/// A connection that is made again after it was lost, with growing pauses between attempts.
final class PostgresLink {

    private let parameters: [(name: String, value: String)]
    private let listens: Bool
    private var connection: PostgresConnection?
    /// The number of connections made so far.
    private(set) var made = 0
    private var pause = PostgresLink.shortestPause
    private var lastFailure: (failure: PostgresFailure, at: ContinuousClock.Instant)?
    /// Whether LISTEN was refused, as on a standby, so that only polling finds commits.
    private(set) var mustPoll = false

    static let shortestPause = Duration.milliseconds(50)
    static let longestPause = Duration.seconds(5)

    /// - Parameters:
    ///   - parameters: of the connection, by libpq's names.
    ///   - listens: whether notifications are asked for.
    init(parameters: [(name: String, value: String)], listens: Bool) {
        (self.parameters, self.listens) = (parameters, listens)
    }

    /// The current connection, if any.
    var current: PostgresConnection? { connection.flatMap { $0.isLost ? nil : $0 } }

    /// The connection; made first if necessary, once the pause after the last attempt is over.
    ///
    /// - Throws: the failure of the last attempt.
    func open() throws(PostgresFailure) -> PostgresConnection {
        if let current { return current }
        connection = nil
        if let lastFailure, .now < lastFailure.at + pause { throw lastFailure.failure }
        do throws(PostgresFailure) {
            let new = try PostgresConnection(parameters)
            try prepare(new)
            (connection, lastFailure, pause) = (new, nil, Self.shortestPause)
            made += 1
            return new
        } catch {
            if lastFailure != nil { pause = min(pause * 2, Self.longestPause) }
            lastFailure = (error, .now)
            throw error
        }
    }

    /// Closes the connection; the server undoes its transaction.
    func close() { connection = nil }

    /// The time from which the next attempt may be made; nil if connected, or before the first failed attempt.
    var nextAttempt: ContinuousClock.Instant? { current == nil ? lastFailure.map { $0.at + pause } : nil }

    /// Sets the parameters of the session.
    ///
    /// An edit is on disk when it is answered, even if the role or the database has a weaker `synchronous_commit`.
    private func prepare(_ connection: PostgresConnection) throws(PostgresFailure) {
        try connection.run(
            """
            SELECT set_config('lock_timeout', '5s', false), set_config('statement_timeout', '30s', false),
              set_config('idle_in_transaction_session_timeout', '60s', false), set_config('DateStyle', 'ISO, YMD', false),
              set_config('TimeZone', 'UTC', false), set_config('extra_float_digits', '1', false),
              set_config('synchronous_commit',
                CASE WHEN current_setting('synchronous_commit') = 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)
            """)
        guard listens else { return }
        do throws(PostgresFailure) {
            try connection.run("LISTEN drilldown")
            mustPoll = false
        } catch {
            guard !error.isLost else { throw error }
            mustPoll = true
        }
    }
}
