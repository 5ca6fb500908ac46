import Glibc
import Synchronization

/// The thread that cuts connections past their deadline: the library's own time-out is for idle ones only.
final class Reaper: Sendable {
    private let stopped = Mutex(false)
    private let service: Service

    init(service: Service) {
        self.service = service
    }

    func stop() {}
}
