// The declarations of SwiftUI that the manual's app uses, so that its code is compiled on Linux. They follow Apple's
// documentation, and do nothing.

@_exported import Foundation
@_exported import UIKit

@MainActor public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View { public var body: Never { return fatalError() } }

/// A view that shows nothing; the stubs have no other.
public struct Nothing: View { public var body: Never { return fatalError() } }

@resultBuilder @MainActor public enum ViewBuilder {
    public static func buildBlock<each Part: View>(_ part: repeat each Part) -> some View { Nothing() }
    public static func buildOptional(_ part: (some View)?) -> some View { Nothing() }
    public static func buildEither(first part: some View) -> Nothing { Nothing() }
    public static func buildEither(second part: some View) -> Nothing { Nothing() }
}

@MainActor @propertyWrapper public struct State<Value> {
    public var wrappedValue: Value {
        get { stored }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { Binding(value: stored) }
    private let stored: Value

    public init(wrappedValue: Value) { stored = wrappedValue }
    public init(initialValue: Value) { stored = initialValue }
}

extension State where Value: ExpressibleByNilLiteral { public init() { self.init(wrappedValue: nil) } }

@MainActor @dynamicMemberLookup public struct Binding<Value> {
    let value: Value
    public subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Binding<Member> {
        Binding<Member>(value: value[keyPath: path])
    }
}

@MainActor public struct List<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: some View { Nothing() }
}

@MainActor public struct ForEach<Data: RandomAccessCollection, Content: View>: View where Data.Element: Identifiable {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
    public var body: some View { Nothing() }
}

@MainActor public struct Section<Content: View, Header: View, Footer: View>: View {
    public init(
        @ViewBuilder content: () -> Content, @ViewBuilder header: () -> Header, @ViewBuilder footer: () -> Footer
    ) {}
    public var body: some View { Nothing() }
}

@MainActor public struct ScrollView<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: some View { Nothing() }
}

@MainActor public struct NavigationStack<Root: View>: View {
    public init(@ViewBuilder root: () -> Root) {}
    public var body: some View { Nothing() }
}

@MainActor public struct NavigationLink: View {
    public init(_ title: some StringProtocol, value: (some Hashable)?) {}
    public var body: some View { Nothing() }
}

@MainActor public struct Text: View {
    public init(verbatim text: String) {}
    public var body: some View { Nothing() }
}

@MainActor public struct Label: View {
    public init(_ title: some StringProtocol, systemImage: String) {}
    public var body: some View { Nothing() }
}

@MainActor public struct Image: View {
    public init(uiImage: UIImage) {}
    public var body: some View { Nothing() }
}

@MainActor public struct ProgressView: View {
    public init() {}
    public var body: some View { Nothing() }
}

@MainActor public struct ContentUnavailableView: View {
    public init(_ title: some StringProtocol, systemImage: String) {}
    public var body: some View { Nothing() }
}

public struct Animation: Sendable { public static let `default` = Animation() }

extension View {
    public func overlay(@ViewBuilder content: () -> some View) -> some View { Nothing() }
    public func opacity(_ opacity: Double) -> some View { Nothing() }
    public func padding() -> some View { Nothing() }
    public func animation(_ animation: Animation?, value: some Equatable) -> some View { Nothing() }
    public func navigationTitle(_ title: some StringProtocol) -> some View { Nothing() }
    public func navigationDestination<Data: Hashable>(
        for data: Data.Type, @ViewBuilder destination: @escaping (Data) -> some View
    ) -> some View { Nothing() }
    public func searchable(text: Binding<String>) -> some View { Nothing() }
    public func refreshable(action: @escaping @MainActor @Sendable () async -> Void) -> some View { Nothing() }
    public func onAppear(perform action: (() -> Void)? = nil) -> some View { Nothing() }
    public func task(@_inheritActorContext _ action: @escaping @Sendable () async -> Void) -> some View { Nothing() }
    public func task(
        id: some Equatable, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { Nothing() }
}
