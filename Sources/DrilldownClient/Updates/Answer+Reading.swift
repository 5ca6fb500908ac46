import Foundation

extension Answer {
    /// Reads the answer about a level, or a page of it.
    ///
    /// - Throws: The `Problem` of a refusal, or of an answer that cannot be read.
    func page() throws -> PageAnswer {
        if status == 304 { return .unchanged }
        guard status == 200 else { throw Problem(refusal: self) }
        do {
            switch try LevelReader.read(Array(body)) {
            case .level(let level): return .whole(level, entityTag: entityTag)
            case .delta(let delta) where delta.isEmpty && delta.since == delta.level.version: return .unchanged
            case .delta(let delta): return .delta(delta, entityTag: entityTag)
            }
        } catch {
            throw Problem(unreadable: self, error)
        }
    }

    /// Reads an answer that is an object.
    ///
    /// - Throws: The `Problem` of a refusal, or of an answer that cannot be read.
    func fields() throws -> Fields {
        guard status == 200 else { throw Problem(refusal: self) }
        do {
            var reader = JSONReader(Array(body))
            let fields = try reader.fields()
            try reader.end()
            return fields
        } catch {
            throw Problem(unreadable: self, error)
        }
    }
}

extension LevelDelta {
    /// Whether the rows are as they were.
    fileprivate var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty }
}

extension Problem {
    init(refusal answer: Answer) {
        var reader = JSONReader(Array(answer.body))
        let fields = (try? reader.fields()) ?? [:]
        func text(_ n: String) -> String? { if case .text(let t)? = fields[n] { t } else { nil } }
        self.init(
            .init(rawValue: (text("type") ?? "").replacingOccurrences(of: "/problems/", with: "")),
            title: text("title") ?? "", status: answer.status, detail: text("detail") ?? "", instance: answer.target,
            members: fields, retryAfter: answer.header["retry-after"].flatMap(Double.init))
    }
    init(unreadable answer: Answer, _ error: any Error) {
        self.init(
            .unreadableAnswer, title: "Unreadable answer", status: answer.status, detail: "\(error)",
            instance: answer.target)
    }
}
