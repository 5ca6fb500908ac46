// Observes levels, and writes a line for each update of the first observer of each level:
//
//     update LEVEL VERSION ROWS DIGEST ORIGIN CONNECTION REMOVED INSERTED MOVED UPDATED
//
// and `all LEVEL VERSION DIGEST` when every observer of the level has seen that state. It writes `detail ORIGIN FIELDS` for
// each update of a detail, and `waiting COUNT` for each change of the outbox. Lines on standard input are commands:
//
// - `insert KEY`, `patch KEY VALUE` and `delete KEY` add an edit to the outbox, and write `queued` with the same words.
// - `cancel` cancels the observers and writes `cancelled MILLISECONDS`. `exit` ends the process.
//
// Every observer checks each difference, and ends the process with `fault SENTENCE` if one is wrong.

import DrilldownClient
import Foundation

let arguments = try Arguments(CommandLine.arguments)
let server = Server(arguments.configuration)
let observers = Observers()
// Not on the main actor, whose thread waits for lines.
let group = Task.detached {
    await withTaskGroup(of: Void.self) { group in
        for level in arguments.levels {
            for number in 0..<arguments.observers {
                group.addTask { await observers.observe(level, number, arguments, server) }
            }
        }
    }
}
if let path = arguments.detail { Task.detached { await observers.observe(detail: path, server) } }
let editor = server.outbox.map { Editor(outbox: $0) }
if let editor { Task.detached { await editor.observe() } }
while let line = readLine() {
    if line == "exit" {
        await server.flushCache()
        exit(0)
    }
    if let editor, line != "cancel" {
        await editor.add(line)
        continue
    }
    let start = ContinuousClock.now
    group.cancel()
    await group.value
    Line.write("cancelled \((ContinuousClock.now - start) / .milliseconds(1))")
}
