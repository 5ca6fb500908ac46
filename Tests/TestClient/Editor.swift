import DrilldownClient
import Foundation

/// The outbox of this process, with the commands that add edits to it.
struct Editor {
    let outbox: Outbox

    /// Adds the edit of a command. Items are inserted into the root, and each is named by its key.
    func add(_ command: String) async {
        let words = command.split(separator: " ").map(String.init)
        let path: ItemPath = [words[1]]
        let edit: Edit =
            switch words[0] {
            case "insert": .insert(["Title": .text(words[1]), "Key": .text(words[1])], into: .root, at: .first)
            case "patch": .patch(["Value": .text(words[2])], at: path)
            default: .delete(path)
            }
        do {
            try await outbox.add(edit)
            Line.write("queued \(command)")
        } catch {
            Line.write("fault \(command): \(error)")
        }
    }

    func observe() async {
        for await entries in await outbox.updates() {
            if let conflict = entries.first?.conflict { Line.write("fault \(conflict.edit): \(conflict)") }
            Line.write("waiting \(entries.count)")
        }
    }
}
