internal import Glibc

/// What the service manager says of this process.
public enum ManagedProcess {
    /// Whether it is the process of a systemd unit, whose settings may be the reason of a refusal.
    public static let isUnit = unsafe getenv("INVOCATION_ID") != nil && getppid() == 1
}
