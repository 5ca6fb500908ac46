import DrilldownClient
import Foundation

/// The observers of this process, and the last state that each of them saw.
actor Observers {
    private var seen: [ItemPath: [Int: String]] = [:]

    /// Observes a level until the task is cancelled or the server refuses it.
    nonisolated func observe(_ path: ItemPath, _ number: Int, _ arguments: Arguments, _ server: Server) async {
        var last: Level?
        do {
            for try await update in server.updates(of: path, matching: arguments.query) {
                if let fault = TableModel.fault(of: update, after: last) {
                    Line.write("fault \(path) \(fault)")
                    exit(1)
                }
                last = update.level
                guard let level = update.level else { continue }
                await note(update, level, path, number, of: arguments.observers)
                if number == 0, arguments.slowness > 0 { try await Task.sleep(for: .milliseconds(arguments.slowness)) }
            }
        } catch is CancellationError {
            // The pause of a slow observer was cancelled.
        } catch {
            Line.write("refused \(path) \(error)")
        }
    }

    nonisolated func observe(detail path: ItemPath, _ server: Server) async {
        do {
            for try await update in server.updates(ofDetail: path) {
                guard let detail = update.detail else { continue }
                Line.write("detail \(update.isFromCache ? "cache" : "server") \(detail.fields)")
            }
        } catch {
            Line.write("refused detail \(path) \(error)")
        }
    }

    private func note(_ update: LevelUpdate, _ level: Level, _ path: ItemPath, _ number: Int, of count: Int) {
        let state = "\(level.version) \(Digest(level.rows).value)"
        if number == 0 {
            let difference = update.difference
            Line.write(
                "update \(path) \(level.version) \(level.rows.count) \(Digest(level.rows).value) "
                    + "\(update.isFromCache ? "cache" : "server") \(update.interruption?.kind.rawValue ?? "connected") "
                    + "\(difference?.removed.count ?? 0) \(difference?.inserted.count ?? 0) "
                    + "\(difference?.moved.count ?? 0) \(difference?.updated.count ?? 0)")
        }
        seen[path, default: [:]][number] = state
        if count > 1, seen[path]?.count == count, seen[path]?.values.allSatisfy({ $0 == state }) == true {
            Line.write("all \(path) \(state)")
        }
    }
}

/// A line on standard output, written at once.
enum Line {
    static func write(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}
