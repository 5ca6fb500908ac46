// Observes levels, and writes a line for each update of the first observer of each level:
//
//     update LEVEL VERSION ROWS DIGEST ORIGIN CONNECTION REMOVED INSERTED MOVED UPDATED
//
// and `all LEVEL VERSION DIGEST` when every observer of the level has seen that state. A line on standard input ends it:
// `cancel` cancels the observers and writes `cancelled MILLISECONDS`, `exit` ends the process.
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
while let line = readLine() {
    if line == "exit" { exit(0) }
    let start = ContinuousClock.now
    group.cancel()
    await group.value
    Line.write("cancelled \((ContinuousClock.now - start) / .milliseconds(1))")
}
