extension Server {
    /// The number of files that the bodies of responses may have open at once, so that connections and reloads keep theirs.
    public static let openFileLimit = 4 + DescriptorBudget.files(within: DescriptorLimit.raise().limit)

    /// The number of descriptors that the process has open; nil if the system does not tell (proc(5)).
    public static var openDescriptors: Int? { DescriptorLimit.openCount() }
}
