internal import PropertyLists

/// A change within an element that stays where it is.
typealias ListEdit = () throws(PropertyListError) -> Void

/// What becomes of the elements of a container, in the new order; those that go are between those that stay.
enum ListStep {
    /// Elements stay, from the first to the last of them.
    case keep(first: Int, last: Int, edit: ListEdit?)
    case drop(Int)
    /// A new element is written.
    case insert((Splicer.Place) throws(PropertyListError) -> Void)

    var isInsertion: Bool { if case .insert = self { true } else { false } }
    var isDrop: Bool { if case .drop = self { true } else { false } }
}
