import DrilldownClient

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The program at a terminal, which changes the screen after keys, signals and news from the server.
struct Session {
    private enum Event: Sendable {
        case terminal(TerminalEvent)
        /// News about a place, with the number of the task that follows it.
        case place(PlaceUpdate, follower: Int)
    }

    private let server: Server
    private var browser: Browser
    private let events: AsyncStream<Event>
    private let sender: AsyncStream<Event>.Continuation
    private var follower: Task<Void, Never>?
    private var followers = 0
    /// The current content of the screen; nil if it is not known. Then all lines are written.
    private var shown: Frame?

    init(_ server: Server, at start: StartAddress) {
        self.server = server
        browser = Browser(address: start.server, size: .present, at: start.place)
        (events, sender) = AsyncStream.makeStream()
    }

    /// Shows places until the user leaves or the input ends.
    ///
    /// - Returns: the exit status, 1 if the terminal refuses its modes.
    /// - Throws: `Failure` if the last place could not be shown.
    mutating func run() async throws(Failure) -> Int32 {
        guard TerminalModes.enter() else { return 1 }
        defer { TerminalModes.leave() }
        TerminalEvents.deliver { [sender] in sender.yield(.terminal($0)) }
        follow()
        draw()
        events: for await event in events {
            switch event {
            case .terminal(let event): guard handle(event) else { break events }
            case .place(let update, let number): if number == followers { show(update) }
            }
            draw()
        }
        if let failure = browser.failure { throw Failure(failure) }
        return 0
    }

    /// - Returns: false if the program is to end.
    private mutating func handle(_ event: TerminalEvent) -> Bool {
        switch event {
        case .key(let key): return perform(browser.press(key))
        case .resized:
            browser.resize(to: .present)
            shown = nil
        case .suspended: suspend()
        case .continued: resume()
        case .ended: return false
        }
        return true
    }

    /// - Returns: false if the program is to end.
    private mutating func perform(_ request: Browser.Request?) -> Bool {
        switch request {
        case .follow: follow()
        case .suspend: suspend()
        case .redraw: shown = nil
        case .leave: return false
        case nil: break
        }
        return true
    }

    private mutating func show(_ update: PlaceUpdate) {
        switch update {
        case .level(let level, let changed, let removed, let isKept):
            browser.show(level, changed: changed, removed: removed, isKept: isKept)
        case .detail(let detail, let isKept): browser.show(detail, isKept: isKept)
        case .trouble(let sentence): browser.trouble = sentence
        case .refusal(let sentence): browser.refuse(sentence)
        }
    }

    private mutating func follow() {
        follower?.cancel()
        followers += 1
        let follower = PlaceFollower(server: server) { [sender, followers] in
            sender.yield(.place($0, follower: followers))
        }
        self.follower = Task { [place = browser.place] in await follower.follow(place) }
    }

    private mutating func draw() {
        let frame = browser.frame()
        guard frame != shown else { return }
        // A failure is ignored: if the terminal goes away, a signal or the end of the input ends the program.
        _ = Result { try StandardOutput.put(frame.sequences(after: shown)) }
        shown = frame
    }

    // MARK: Job control

    /// Stops all processes of the program's job until the shell continues the job. Without job control, goes on
    /// immediately.
    private mutating func suspend() {
        TerminalModes.leave()
        TerminalEvents.stop()
        resume()
    }

    /// Sets the modes of the terminal again, because a shell may have changed them while the program was stopped.
    private mutating func resume() {
        guard TerminalModes.enter() else { return }
        browser.resize(to: .present)
        shown = nil
    }
}
