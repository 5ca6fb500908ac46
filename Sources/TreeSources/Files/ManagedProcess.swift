internal import Glibc

/// Properties of this process that depend on the service manager.
public enum ManagedProcess {
    /// Whether systemd started the process for a unit. If so, the settings of the unit may be the reason of a refusal.
    public static let isUnit = unsafe getenv("INVOCATION_ID") != nil && getppid() == 1
}
