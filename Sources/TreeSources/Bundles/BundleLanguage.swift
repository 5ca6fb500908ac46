/// The language of a folder of strings, by its name.
struct BundleLanguage: Equatable {
    /// The language tag (RFC 5646), or `Base`.
    let name: String
    /// Nil for the texts of no particular language.
    let tag: String?

    /// The name of the folder for the texts of no particular language.
    static let base = "Base"

    /// The names that languages had before they were tags.
    private static let oldNames = [
        "English": "en", "French": "fr", "German": "de", "Italian": "it", "Japanese": "ja", "Spanish": "es",
        "Dutch": "nl", "Danish": "da", "Finnish": "fi", "Korean": "ko", "Norwegian": "no", "Polish": "pl",
        "Portuguese": "pt", "Russian": "ru", "Swedish": "sv", "SimplifiedChinese": "zh-Hans",
        "TraditionalChinese": "zh-Hant",
    ]

    /// - Parameter folder: the name of a folder, as `de.lproj` or `English.lproj`; nil for one that is no language.
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

    /// The names of the languages whose texts serve where this one has none, the nearest first: `de` for `de-CH`.
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
