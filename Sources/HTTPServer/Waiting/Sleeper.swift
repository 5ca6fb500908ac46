/// For whom a connection sleeps: told what happens meanwhile, and wakes the connection.
///
/// Each is called on the watch's thread, or on the connection's own, with no lock held.
protocol Sleeper: AnyObject, Sendable {
    /// The deadline that was given has passed.
    func timeIsOver()
    /// The client has closed the connection.
    func clientHasGone()
    /// The server stops.
    func serverStops()
}
