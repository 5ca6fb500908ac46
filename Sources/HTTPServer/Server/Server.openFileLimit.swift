extension Server {
    /// The number of files that the bodies of responses may have open at once, so that connections and reloads keep theirs.
    public static let openFileLimit = 4 + DescriptorBudget.files(within: DescriptorLimit.raise().limit)
}
