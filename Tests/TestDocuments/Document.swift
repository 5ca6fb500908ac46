import Levels
import PropertyLists

/// Documents written as text: XML where one begins with `<`, else JSON.
enum Document {
    /// The tree of a document of items.
    static func tree(
        _ text: String, names: StructuralNames = .init(), limits: TreeLimits = .init(), pool: LevelPool? = nil
    ) throws(PropertyListError) -> Tree {
        var builder = TreeBuilder(names: names, limits: limits, isXML: text.hasPrefix("<"), pool: pool)
        try read(text, into: &builder)
        return try builder.finish()
    }

    /// The tree of a document of any shape.
    static func anyTree(
        _ text: String, limits: TreeLimits = .init(), pool: LevelPool? = nil
    ) throws(PropertyListError) -> Tree {
        var builder = AnyTreeBuilder(limits: limits, isXML: text.hasPrefix("<"), pool: pool)
        try read(text, into: &builder)
        return try builder.finish()
    }

    /// The tree of a document that is read as it is.
    static func naturalTree(_ text: String, limits: TreeLimits = .init()) throws(PropertyListError) -> Tree {
        var builder = NaturalTreeBuilder(try survey(text), limits: limits, isXML: text.hasPrefix("<"))
        try read(text, into: &builder)
        return try builder.finish()
    }

    /// The survey of a document that may be read as it is.
    static func survey(_ text: String) throws(PropertyListError) -> NaturalReading {
        var survey = NaturalSurvey()
        try read(text, into: &survey)
        return survey.finish()
    }

    /// Sends a text to a consumer.
    static func read<Consumer: PropertyListConsumer & ~Copyable>(
        _ text: String, into consumer: inout Consumer
    ) throws(PropertyListError) {
        try read(Array(text.utf8), isXML: text.hasPrefix("<"), into: &consumer)
    }

    static func read<Consumer: PropertyListConsumer & ~Copyable>(
        _ bytes: [UInt8], isXML: Bool, into consumer: inout Consumer
    ) throws(PropertyListError) {
        if isXML {
            try XMLPropertyListReader.read(.memory(bytes), limits: .init(), into: &consumer)
        } else {
            try JSONPropertyListReader.read(.memory(bytes), limits: .init(), into: &consumer)
        }
    }

    /// The sentence with which a document is refused; nil if it is not.
    static func refusal(
        of text: String, names: StructuralNames = .init(), limits: TreeLimits = .init()
    ) -> String? {
        do {
            _ = try tree(text, names: names, limits: limits)
            return nil
        } catch {
            return error.description
        }
    }

    /// The sentence with which a document of any shape is refused; nil if it is not.
    static func anyRefusal(of text: String, limits: TreeLimits = .init()) -> String? {
        do {
            _ = try anyTree(text, limits: limits)
            return nil
        } catch {
            return error.description
        }
    }
}
