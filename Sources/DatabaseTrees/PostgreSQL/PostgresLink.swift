/// A connection that is made again when it is lost. With each failed attempt, the pause before the next attempt grows.
final class PostgresLink {

    private let parameters: [(name: String, value: String)]
    private let listens: Bool
    private var connection: PostgresConnection?
    /// The number of connections made so far.
    private(set) var made = 0
    private var pause = PostgresLink.shortestPause
    private var lastFailure: (failure: PostgresFailure, at: ContinuousClock.Instant)?
    /// Whether the server has refused LISTEN, as a standby does. Only polling finds commits then.
    private(set) var mustPoll = false

    static let shortestPause = Duration.milliseconds(50)
    static let longestPause = Duration.seconds(5)

    /// - Parameters:
    ///   - parameters: the parameters of the connection, by libpq's names.
    ///   - listens: whether to ask the server for notifications.
    init(parameters: [(name: String, value: String)], listens: Bool) {
        (self.parameters, self.listens) = (parameters, listens)
    }

    /// The current connection; nil if it is lost, closed, or not made yet.
    var current: PostgresConnection? { connection.flatMap { $0.isLost ? nil : $0 } }

    /// Returns the connection. Connects if necessary, but not before the pause after the latest failed attempt is over.
    ///
    /// - Throws: the failure of the latest attempt.
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

    /// Closes the connection. The server then undoes an open transaction.
    func close() { connection = nil }

    /// The earliest time of the next attempt to connect; nil while connected, or if the latest attempt did not fail.
    var nextAttempt: ContinuousClock.Instant? { current == nil ? lastFailure.map { $0.at + pause } : nil }

    /// Sets the parameters of the session, and asks for notifications.
    ///
    /// An edit must be on disk when it is answered. Therefore, a weaker `synchronous_commit` of the role or of the
    /// database is overridden.
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
