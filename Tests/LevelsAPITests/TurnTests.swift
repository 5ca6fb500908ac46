import Testing

@testable import LevelsAPI

/// The seconds at which a request with a turn is answered (manual, Refresh).
@Suite("A turn") struct TurnTests {
    private static func turn(_ asked: Int?, wait: Int, hash: UInt64 = 0, now: Int) -> Turn {
        Turn(asked: asked, wait: Wait(seconds: wait, isPreference: false), hash: hash, now: now)
    }

    @Test("ends the wait at the next multiple of the period, shifted by the hash, a second from now or later")
    func end() {
        let ends = [
            // The time in milliseconds, the hash, and the second of the end; the wait is 20 seconds.
            (100_000, 0, 120), (100_001, 0, 120), (118_999, 0, 120), (119_000, 0, 120), (119_001, 0, 140),
            (100_000, 7, 107), (106_000, 7, 107), (106_001, 7, 127), (100_000, 27, 107), (100_000, 19, 119),
            (99_000, 0, 100), (99_001, 0, 120),
        ]
        for (now, hash, end) in ends {
            #expect(Self.turn(90, wait: 20, hash: UInt64(hash), now: now).end == end, "\(now) \(hash)")
        }
        #expect(Self.turn(0, wait: 1, hash: .max, now: 100_000).end == 101)
        #expect(Self.turn(0, wait: 1, hash: .max, now: 100_001).end == 102)
        #expect(Self.turn(0, wait: 300, hash: 299, now: 100_000).end == 299)
    }

    @Test("without a name ends the wait after the whole seconds of the wait")
    func unnamed() {
        #expect(Self.turn(nil, wait: 20, hash: 7, now: 100_000).end == 120)
        #expect(Self.turn(nil, wait: 20, hash: 7, now: 100_001).end == 121)
        #expect(Self.turn(nil, wait: 20, hash: 7, now: 100_001).earliest == 0)
        #expect(Self.turn(nil, wait: 20, now: 100_001).next(at: 100) == 100)
    }

    @Test("lets the answer wait until its second is over, unless it is more than two seconds ahead")
    func earliest() {
        for (asked, earliest, isAhead) in [
            (0, 1, false), (99, 100, false), (100, 101, false), (102, 103, false), (103, 0, true),
            (Turn.limits.upperBound, 0, true),
        ] {
            let turn = Self.turn(asked, wait: 2, now: 100_999)
            #expect((turn.earliest, turn.isAhead) == (earliest, isAhead), "\(asked)")
            #expect(turn.end >= max(102, earliest), "\(asked)")
        }
    }

    @Test("is followed by the time of the answer, or by the second after it")
    func next() {
        #expect(Self.turn(90, wait: 20, now: 100_000).next(at: 107) == 107)
        #expect(Self.turn(130, wait: 20, now: 100_000).next(at: 107) == 131)
        #expect(Self.turn(Turn.limits.upperBound, wait: 20, now: 100_000).next(at: 107) == 9_007_199_254_740_991)
    }

    @Test("says how long shared caches may keep the answer")
    func seconds() {
        let wait = Wait(seconds: 20, isPreference: false)
        func seconds(_ asked: Int?) -> [Int] {
            [true, false].map { Self.turn(asked, wait: 20, now: 100_000).secondsShared(isChanged: $0, wait: wait) }
        }
        #expect(seconds(nil) == [1, 1])
        #expect(seconds(103) == [1, 1])
        #expect(seconds(102) == [10, 20])
        #expect(seconds(0) == [10, 20])
    }

    @Test(
        "is a whole number, and belongs to since and wait",
        arguments: [
            (
                "since=x&wait=3&turn=9007199254740991",
                "'turn' must be a whole number of seconds from 0 to 9007199254740990, not '9007199254740991'; use the link 'follow' of an answer."
            ),
            (
                "since=x&wait=3&turn=",
                "'turn' must be a whole number of seconds from 0 to 9007199254740990, not ''; use the link 'follow' of an answer."
            ),
            (
                "since=x&wait=3&turn=-1",
                "'turn' must be a whole number of seconds from 0 to 9007199254740990, not '-1'; use the link 'follow' of an answer."
            ),
            ("turn=5", "'turn' applies only to 'since'; add it, or omit 'turn'."),
            ("since=x&turn=5", "'turn' applies only to 'wait'; add it, or omit 'turn'."),
        ])
    func refused(_ query: String, _ sentence: String) throws {
        let desk = try Desk(#"["a"]"#)
        for path in ["/levels/", "/detail/a", "/changes"] {
            let answer = desk.get("\(path)?\(query)")
            #expect(answer.status == 400)
            #expect(answer.text.contains(#""detail":"\#(sentence)""#))
            #expect(answer.text.contains(#""parameter":"turn""#))
        }
    }
}
