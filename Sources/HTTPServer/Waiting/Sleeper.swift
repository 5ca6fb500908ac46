/// The object for which a connection sleeps: it is notified of events, and wakes the connection.
///
/// Each method is called on the thread of `SuspendedConnections` or on the connection's own, with no lock held.
protocol Sleeper: AnyObject, Sendable {
    /// The deadline has passed.
    func timeIsOver()
    /// The client has closed the connection, or, if the suspension wakes on input, has sent something.
    func clientHasGone()
    /// The server is stopping.
    func serverStops()
}
