// The declarations of UIKit that the manual's app uses, so that its code is compiled on Linux. They follow Apple's
// documentation, and do nothing.

@_exported import Foundation

@MainActor public protocol UIContentConfiguration {}

public struct UIListContentConfiguration: UIContentConfiguration {
    public var text: String?
    public var secondaryText: String?
}

public struct CGRect: Sendable { public static let zero = CGRect() }

@MainActor open class UIView {}

@MainActor public final class UIImage {
    public nonisolated init?(data: Data) { nil }
}

@MainActor open class UITableViewCell: UIView {
    public enum AccessoryType { case none, disclosureIndicator }

    public var contentConfiguration: (any UIContentConfiguration)?
    public var accessoryType = AccessoryType.none
    public func defaultContentConfiguration() -> UIListContentConfiguration { UIListContentConfiguration() }
}

@MainActor public protocol UITableViewDataSource: AnyObject {
    func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String?
}

@MainActor open class UITableView: UIView {
    public enum Style { case plain, grouped, insetGrouped }

    public func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {}
    public func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
        UITableViewCell()
    }
}

@MainActor public final class UIAction {
    public init(title: String = "", handler: @escaping (UIAction) -> Void) {}
}

@MainActor public final class UIRefreshControl: UIView {
    public init(frame: CGRect, primaryAction: UIAction?) {}
    public func endRefreshing() {}
}

@MainActor public final class UINavigationItem { public var prompt: String? }

@MainActor public final class UINavigationController: UIViewController {
    public func pushViewController(_ viewController: UIViewController, animated: Bool) {}
}

@MainActor open class UIViewController {
    public var title: String?
    public let navigationItem = UINavigationItem()
    public var navigationController: UINavigationController? { nil }

    public init() {}
    public required init?(coder: NSCoder) { nil }
    open func viewDidLoad() {}
    open func viewWillAppear(_ animated: Bool) {}
    open func viewDidDisappear(_ animated: Bool) {}
}

@MainActor open class UITableViewController: UIViewController {
    public var tableView: UITableView! = UITableView()
    public var refreshControl: UIRefreshControl?

    public init(style: UITableView.Style) { super.init() }
    public required init?(coder: NSCoder) { nil }
    open func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
}

public struct NSDiffableDataSourceSnapshot<Section: Hashable & Sendable, Item: Hashable & Sendable>: Sendable {
    public init() {}
    public mutating func appendSections(_ identifiers: [Section]) {}
    public mutating func appendItems(_ identifiers: [Item], toSection section: Section? = nil) {}
    public mutating func reconfigureItems(_ identifiers: [Item]) {}
}

@MainActor
open class UITableViewDiffableDataSource<Section: Hashable & Sendable, Item: Hashable & Sendable>:
    UITableViewDataSource
{
    public typealias CellProvider = (UITableView, IndexPath, Item) -> UITableViewCell?

    public init(tableView: UITableView, cellProvider: @escaping CellProvider) {}
    open func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? { nil }
    public func apply(_ snapshot: NSDiffableDataSourceSnapshot<Section, Item>, animatingDifferences: Bool = true) {}
    public func itemIdentifier(for indexPath: IndexPath) -> Item? { nil }
    public func sectionIdentifier(for index: Int) -> Section? { nil }
}

extension String {
    public init(localized key: String) { self = key }
}
