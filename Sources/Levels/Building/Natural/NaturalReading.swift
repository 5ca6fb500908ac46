internal import Bytes

/// The outcome of a `NaturalSurvey`: whether the document is a document of items; if not, which containers hold rows,
/// and which fields title the rows.
///
/// The containers of a document are numbered from 0 in the order in which they begin.
public struct NaturalReading: Sendable {
    /// The names of the arrays that hold the children of a dictionary, in order of first appearance.
    private(set) var childrenNames: [String] = []
    /// The names, or paths with dots, under which every dictionary of a list has its title and its key, in place of the
    /// surveyed fields; nil if the survey decides.
    let givenTitles: [[UInt8]]?
    let givenKeys: [[UInt8]]?
    /// Whether names of titles or keys were given, which count in place of earlier ones.
    var hasGivenNames: Bool { givenTitles != nil || givenKeys != nil }
    private var childrenHashes: Set<UInt64> = []
    private var traits: [ContainerTraits] = []
    /// For each container, the index of its titles in `titles`; index 0 is an empty value.
    private var titleNumbers: [UInt32] = []
    /// The different titles, because most lists of a document have the titles of many others.
    private var titles = [RowTitles()]
    private var numbers: [RowTitles: UInt32] = [RowTitles(): 0]
    private var latestNumber: UInt32 = 0
    /// Whether the document is a document of items, and not to be read as it is.
    public internal(set) var isOfItems = false
    /// Whether each row of the document is an item.
    public internal(set) var hasItemsOnly = false
    /// Whether the document has the lists of a document of items.
    public internal(set) var resemblesItems = false

    init(names: StructuralNames) {
        givenTitles = names.given(.title)?.map { Array($0.utf8) }
        givenKeys = names.given(.key)?.map { Array($0.utf8) }
    }

    /// The memory for one container, in bytes.
    static let bytesOfContainer = 5
    /// The number of containers.
    var count: Int { traits.count }

    subscript(container: Int) -> ContainerTraits { traits[container] }

    func titles(of container: Int) -> RowTitles { titles[titleNumber(of: container)] }

    /// A number of the titles of a container. Containers with the same titles have the same number.
    func titleNumber(of container: Int) -> Int { Int(titleNumbers[container]) }

    /// Whether the document is a dictionary without other containers.
    public var hasFieldsOnly: Bool { count == 1 && !resemblesItems }

    /// The field that titles the elements of the document, as a path with dots; nil without one.
    public var titleOfElements: String? {
        let path = count > 0 ? titles(of: 0).title : []
        return path.isEmpty ? nil : path.map { String(utf8: $0.span) }.joined(separator: ".")
    }

    mutating func openContainer() -> Int {
        traits.append([])
        titleNumbers.append(0)
        return traits.count - 1
    }

    mutating func note(_ new: ContainerTraits, of container: Int) { traits[container].formUnion(new) }

    mutating func note(_ new: RowTitles, of container: Int) {
        if new != titles[Int(latestNumber)] {
            latestNumber = numbers[new] ?? UInt32(titles.count)
            if latestNumber == titles.count {
                titles.append(new)
                numbers[new] = latestNumber
            }
        }
        titleNumbers[container] = latestNumber
    }

    /// Whether a hash is that of a children name.
    func isChildrenName(hash: UInt64) -> Bool { childrenHashes.contains(hash) }

    mutating func addChildrenName(_ name: String) {
        guard childrenHashes.insert(TableHash.of(name.utf8Span.span)).inserted else { return }
        childrenNames.append(name)
    }

    /// Takes other children names in place of those so far.
    mutating func replaceChildrenNames(by names: [String]) {
        (childrenNames, childrenHashes) = ([], [])
        for name in names { addChildrenName(name) }
    }

}

/// The contents of a container.
struct ContainerTraits: OptionSet, Sendable {
    let rawValue: UInt8

    /// An array with at least one dictionary.
    static let isList = ContainerTraits(rawValue: 1)
    /// A dictionary that is not empty and has only containers as values.
    static let isMap = ContainerTraits(rawValue: 2)
    /// A dictionary with an array under a children name.
    static let hasChildren = ContainerTraits(rawValue: 4)
}
