internal import Files
internal import Levels
internal import PropertyLists

/// The strings of a settings bundle in all its languages.
struct BundleStrings {
    /// A language of the bundle.
    struct Language {
        let language: BundleLanguage
        /// The tables by name.
        let tables: [String: StringsTable]
    }

    private(set) var languages: [Language] = []
    /// The language for clients that accept no language of the bundle; nil if these clients get the texts of the pages.
    private(set) var fallback: String?
    private(set) var warnings: [SourceWarning] = []

    /// The largest number of languages.
    private static let mostLanguages = 100
    /// The size of the largest accepted file of strings.
    static let mostBytes = 4 << 20

    /// Reads tables of strings in all languages of the bundle.
    mutating func read(tables: [String], from files: inout BundleFiles) {
        // If two folders have the same language, the folder named by the language tag is used.
        var folders: [(name: String, language: BundleLanguage)] = []
        for name in files.languageFolders.prefix(Self.mostLanguages) {
            guard let language = BundleLanguage(folder: name) else { continue }
            let isOther = folders.contains { $0.language == language }
            if isOther, name != "\(language.name).lproj" { continue }
            folders.removeAll { $0.language == language }
            folders.append((name, language))
        }
        if files.languageFolders.count > Self.mostLanguages {
            warn("only the first \(Self.mostLanguages) folders of languages are read", of: files.folder)
        }
        let region = developmentRegion(in: &files)
        for (folder, language) in folders {
            var texts: [String: StringsTable] = [:]
            for table in tables { texts[table] = self.table("\(folder)/\(table).strings", in: &files) }
            if !texts.isEmpty { languages.append(Language(language: language, tables: texts)) }
        }
        let names = [region, BundleLanguage.base, "en"].compactMap(\.self)
        fallback = names.first { name in languages.contains { $0.language.name == name } }
    }

    /// The language that the bundle was written in; nil if it is unknown.
    private mutating func developmentRegion(in files: inout BundleFiles) -> String? {
        guard !files.languageFolders.isEmpty, let info = table("Info.plist", in: &files) else { return nil }
        return info.texts["CFBundleDevelopmentRegion"].flatMap { BundleLanguage(folder: "\($0).lproj")?.name }
    }

    /// The texts of a file; nil if the file does not exist, is empty or cannot be read. An unreadable file causes a
    /// warning.
    private mutating func table(_ name: String, in files: inout BundleFiles) -> StringsTable? {
        do throws(SourceError) {
            // An empty file does not contain texts.
            guard let file = try files.open(name), file.identity.size > 0 else { return nil }
            guard file.identity.size <= Self.mostBytes else {
                let size = Quantity(count: file.identity.size, noun: "byte")
                throw SourceError(name, reason: "the file has \(size) and the limit is \(Self.mostBytes); remove texts")
            }
            return try Self.table(of: file, named: name)
        } catch {
            warn("\(error.reason); its texts are not used", of: files.path(of: name), at: error.position)
            return nil
        }
    }

    private static func table(of file: borrowing DocumentFile, named name: String) throws(SourceError) -> StringsTable {
        do throws(PropertyListError) {
            return try StringsTable(reading: try file.bytes())
        } catch {
            throw SourceError(name, error: error)
        }
    }

    private mutating func warn(_ message: String, of file: String, at position: SourcePosition? = nil) {
        warnings.append(SourceWarning(file, message: message, at: position))
    }

    /// Returns a closure that translates the texts of a page. The closure looks for a text in the language, then in the
    /// language's parents, then in the fallback.
    func translation(to language: Language, table: String) -> (String) -> String? {
        let names = language.language.parents + [fallback].compactMap(\.self)
        let others = names.compactMap { name in languages.first { $0.language.name == name } }
        let tables = ([language] + others).compactMap { $0.tables[table]?.texts }
        return { text in
            for texts in tables {
                if let found = texts[text] { return found }
            }
            return nil
        }
    }
}

/// A language of the bundle, as named by its folder of strings.
struct BundleLanguage: Equatable {
    /// The language tag (RFC 5646), or `Base`.
    let name: String
    /// The language tag; nil for texts without a particular language.
    let tag: String?

    /// The name for texts without a particular language.
    static let base = "Base"

    /// The language tags for the folder names that were in use before language tags.
    private static let oldNames = [
        "English": "en", "French": "fr", "German": "de", "Italian": "it", "Japanese": "ja", "Spanish": "es",
        "Dutch": "nl", "Danish": "da", "Finnish": "fi", "Korean": "ko", "Norwegian": "no", "Polish": "pl",
        "Portuguese": "pt", "Russian": "ru", "Swedish": "sv", "SimplifiedChinese": "zh-Hans",
        "TraditionalChinese": "zh-Hant",
    ]

    /// - Parameter folder: the name of a folder, such as `de.lproj` or `English.lproj`. The result is nil if the folder
    ///   is not named by a language.
    init?(folder: String) {
        guard folder.hasSuffix(".lproj") else { return nil }
        let name = String(folder.dropLast(".lproj".count))
        guard name != Self.base else {
            (self.name, tag) = (name, nil)
            return
        }
        let tag = Self.oldNames[name] ?? name.replacing("_", with: "-")
        let subtags = tag.split(separator: "-", omittingEmptySubsequences: false)
        let isTag = subtags.allSatisfy { part in
            (1...8).contains(part.utf8.count)
                && part.utf8.allSatisfy {
                    $0 < 0x80 && Character(Unicode.Scalar($0)).isLetter || (0x30...0x39).contains($0)
                }
        }
        guard isTag else { return nil }
        (self.name, self.tag) = (tag, tag)
    }

    /// The languages whose texts are used if this language lacks a text, the nearest first: `de` for `de-CH`.
    var parents: [String] {
        var parents: [String] = []
        var rest = Substring(name)
        while let end = rest.lastIndex(of: "-") {
            rest = rest[..<end]
            parents.append(String(rest))
        }
        return parents
    }
}
