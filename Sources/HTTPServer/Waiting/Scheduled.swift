/// An entry of a `DeadlineHeap`.
protocol Scheduled: AnyObject {
    /// In milliseconds.
    var deadline: Int64 { get }
    /// The entry's index in the heap, which the heap maintains; -1 outside it.
    var place: Int { get set }
}
