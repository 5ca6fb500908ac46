import Foundation

/// The file of an outbox: JSON with the edits that wait, in their order.
struct OutboxFile: Sendable {
    let url: URL
    /// Performs a step of a save; tests see the order of the steps, and let them fail.
    var perform: @Sendable (Step) throws -> Void = { try $0.perform() }

    /// A step that replaces the file durably: after a loss of power, the file has either the old content or the new one.
    enum Step: Equatable {
        case write(Data, to: URL)
        /// Waits until a file or a folder is on the disk.
        case sync(URL)
        case replace(URL, by: URL)
    }

    private static let format: FieldValue = "drilldown outbox 1"

    /// Reads the edits. A file that cannot be read is kept beside the new one, with `.damaged` after its name.
    func entries() throws(Problem) -> [Outbox.Entry] {
        guard FileManager.default.fileExists(atPath: url.path) else { return [] }
        do {
            let fields = try FieldValue(json: Data(contentsOf: url)).dictionary ?? [:]
            guard fields["format"] == Self.format, let steps = fields["edits"]?.list else { throw Damage() }
            return try steps.map { step in
                guard let entry = Outbox.Entry(step.dictionary ?? [:]) else { throw Damage() }
                return entry
            }
        } catch {
            let aside = url.appendingPathExtension("damaged")
            _ = Result { try FileManager.default.moveItem(at: url, to: aside) }
            throw problem("The outbox '\(url.path)' cannot be read; it is now '\(aside.lastPathComponent)'.")
        }
    }

    /// Replaces the file. It is on the disk when the method returns.
    func save(_ entries: [Outbox.Entry]) throws(Problem) {
        let fields: Fields = ["format": Self.format, "edits": .list(entries.map { .dictionary($0.fields) })]
        let (folder, new) = (url.deletingLastPathComponent(), url.appendingPathExtension("new"))
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try perform(.write(Data(JSONText.bytes(of: .dictionary(fields))), to: new))
            try perform(.sync(new))
            try perform(.replace(url, by: new))
            try perform(.sync(folder))
        } catch {
            throw problem("The outbox '\(url.path)' cannot be written: \(error.localizedDescription)")
        }
    }

    private struct Damage: Error {}

    private func problem(_ sentence: String) -> Problem {
        Problem(.unwritableOutbox, title: "Outbox not usable", detail: sentence)
    }
}

extension OutboxFile.Step {
    func perform() throws {
        switch self {
        case .write(let data, let url): try data.write(to: url)
        case .sync(let url): try FileHandle(forReadingFrom: url).synchronize()
        case .replace(let url, let new):
            guard unsafe rename(new.path, url.path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        }
    }
}

extension Outbox.Entry {
    fileprivate init?(_ fields: Fields) {
        guard let id = fields["id"]?.text.flatMap(UUID.init(uuidString:)),
            let edit = fields["edit"]?.dictionary.flatMap({ Edit(step: $0) })
        else { return nil }
        self.init(id: id, edit: edit, base: fields["base"]?.dictionary, isSent: fields["sent"] == true)
    }

    fileprivate var fields: Fields {
        var step = edit.step
        step["propertyList"] = edit.propertyList.map(FieldValue.data)
        var fields: Fields = ["id": .text(id.uuidString), "edit": .dictionary(step), "sent": .boolean(isSent)]
        fields["base"] = base.map(FieldValue.dictionary)
        return fields
    }
}
