import Foundation
import Testing

extension FileItem {
    /// A page of a settings bundle, with the texts of a language.
    init(settings bundle: URL, page: String = "Root", language: String) throws {
        let value = try FileValue(file: bundle.appendingPathComponent(page + ".plist"))
        let strings = bundle.appendingPathComponent("\(language).lproj/\(page).strings")
        let texts = try unsafe PropertyListSerialization.propertyList(from: Data(contentsOf: strings), format: nil)
        let words = try #require(texts as? [String: String])
        self.init(title: page, fields: value.members.filter { $0.name != "PreferenceSpecifiers" })
        sections = [Section(items: [])]
        for specifier in value["PreferenceSpecifiers"]?.elements ?? [] {
            let title = specifier["Title"]?.text
            let shown = title.map { words[$0] ?? $0 }
            switch specifier["Type"]?.text {
            case "PSGroupSpecifier", "PSRadioGroupSpecifier":
                let footer = specifier["FooterText"]?.text.map { words[$0] ?? $0 }
                sections.append(Section(title: shown, footer: footer, items: Self.choices(specifier, words)))
            case "PSChildPaneSpecifier":
                let file = try #require(specifier["File"]?.text)
                let page = try FileItem(settings: bundle, page: file, language: language)
                sections[sections.count - 1].items.append(
                    FileItem(
                        title: shown ?? "", key: specifier["Key"]?.text, fields: specifier.members,
                        sections: page.sections))
            default:
                sections[sections.count - 1].items.append(
                    FileItem(title: shown ?? "", key: specifier["Key"]?.text, fields: specifier.members))
            }
        }
        key = ""
        sections.removeAll { $0.items.isEmpty && $0.title == nil && $0.footer == nil }
    }

    /// The rows of a radio group.
    private static func choices(_ group: FileValue, _ words: [String: String]) -> [FileItem] {
        zip(group["Titles"]?.elements ?? [], group["Values"]?.elements ?? []).map { title, value in
            let text = title.text ?? ""
            return FileItem(
                title: words[text] ?? text, key: text,
                fields: [.init(name: "Title", value: title), .init(name: "Value", value: value)])
        }
    }
}
