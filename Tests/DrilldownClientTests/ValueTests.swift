import Foundation
import Testing

@testable import DrilldownClient

/// Values that an app makes itself, for previews and tests.
@Suite struct ValueTests {
    @Test func `rows become those of their level`() {
        let level = Level(title: "A", path: ["A"], rows: [Row(key: "x"), Row(key: "y", below: ["B"])])
        #expect(level.rows.map(\.path) == [["A", "x"], ["B", "y"]])
        #expect(level.depth == 1 && level.itemVersion == nil)
    }

    @Test func `the identity of a section stays the same if rows and sections come before it`() {
        var level = Level(
            title: "A", path: .root,
            sections: [.init(start: 0, count: 1), .init(title: "B", start: 1, count: 1), .init(start: 2, count: 1)])
        let ids = level.sections.map(\.id)
        #expect(Set(ids).count == 3)
        level.sections = [
            .init(title: "A", start: 0, count: 4), .init(start: 4, count: 2), .init(title: "B", start: 6, count: 3),
            .init(start: 9, count: 0),
        ]
        #expect(level.sections.dropFirst().map(\.id) == ids)
        #expect(level.sections[3] == .init(start: 9, count: 0))
    }

    @Test func `rows without versions are compared by what they contain`() {
        let old = Level(title: "A", path: .root, rows: [Row(key: "x"), Row(key: "y")])
        let new = Level(title: "A", path: .root, rows: [Row(key: "x"), Row(key: "y", title: "Y")])
        let difference = LevelDifference(from: old, to: new)
        #expect(difference.updated == [.init(old: 1, new: 1)])
        #expect(difference.updatedIndexPaths == [IndexPath(indexes: [0, 1])])
        let problem = Problem(.unreachable, title: "", detail: "")
        let updates = [
            LevelUpdate(level: new, difference: difference), LevelUpdate(level: nil),
            LevelUpdate(level: new, isFromCache: true), LevelUpdate(level: new, interruption: problem),
        ]
        #expect(updates.map(\.isCurrent) == [true, false, false, false])
        let detail = Detail(title: "A", path: ["A"])
        let details = [
            DetailUpdate(detail: detail), DetailUpdate(detail: nil),
            DetailUpdate(detail: detail, interruption: problem),
        ]
        #expect(details.map(\.isCurrent) == [true, false, false])
        let positions = [(0, 1), (0, 2), (1, 2), (1, 3)].map { Detail.Position(index: $0.0, count: $0.1) }
        #expect(positions.map(\.isFirst) == [true, true, false, false])
        #expect(positions.map(\.isLast) == [true, false, true, false])
    }

    @Test func `the index paths of a difference count from the beginning of a section`() {
        func level(_ keys: [String]) -> Level {
            Level(
                title: "A", path: .root, count: 10 + keys.count, start: 10,
                sections: [.init(start: 0, count: 8), .init(title: "B", start: 8, count: 2 + keys.count)],
                rows: keys.map { Row(key: $0, version: "1") })
        }
        let difference = LevelDifference(from: level(["a", "b", "c", "d"]), to: level(["d", "a", "b", "e"]))
        #expect(difference.removedIndexPaths == [IndexPath(indexes: [1, 4])])
        #expect(difference.insertedIndexPaths == [IndexPath(indexes: [1, 5])])
        #expect(difference.movedIndexPaths.map(\.old) == [IndexPath(indexes: [1, 5])])
        #expect(difference.movedIndexPaths.map(\.new) == [IndexPath(indexes: [1, 2])])
    }

    @Test func `a row of an outline is known by its link`() {
        var row = Row(key: "x", below: ["A"])
        row.error = "It is broken."
        #expect(row.id == "x")
        #expect(!row.isFirst && !row.isLast && !row.isExpanded && row.indent == nil)
        row.indent = 1
        (row.isFirst, row.isLast, row.isExpanded) = (true, true, true)
        #expect(row.id == "/detail/A/x" && row.indent == 1 && row.error == "It is broken.")
        row.trail = ["A"]
        row.indent = nil
        #expect(row.id == "/detail/A/x" && row.trail == ["A"])
        row.trail = nil
        row.control = Control(type: "ToggleSwitch", value: true)
        #expect(row.id == "x" && row.control?.isOn == true)
    }

    @Test func `a switch has its own values`() {
        var control = Control(type: "ToggleSwitch", value: "yes")
        #expect(!control.isOn && control.value(isOn: true) == true && control.value(isOn: false) == false)
        (control.trueValue, control.falseValue) = ("yes", "no")
        #expect(control.isOn && control.value(isOn: true) == "yes" && control.value(isOn: false) == "no")
        (control.trueValue, control.value) = (nil, 1)
        #expect(control.isOn)
        control.value = nil
        #expect(!control.isOn)
    }

    @Test func `fields are read by name, and made of a dictionary`() {
        let fields = Fields(
            Dictionary(uniqueKeysWithValues: [("b", 1), ("a", "x"), ("c", nil)] as [(String, FieldValue)]))
        #expect(fields.names == ["a", "b", "c"])
        #expect(Row(key: "x", fields: fields)["b"]?.int == 1)
        let row = Row(key: "x", fields: ["Subtitle": "s", "Image": "i", "Value": 2])
        #expect(row.subtitle == "s" && row.imageName == "i" && row.value == 2)
        #expect(Detail(title: "x", path: ["x"], fields: fields)["a"]?.text == "x")
        #expect(Edit.patch(["a": 1], removing: ["b"], at: ["x"]) == .patch(["a": 1, "b": nil], at: ["x"]))
    }

    @Test func `a minus sign sorts the greatest value first`() {
        #expect("-Price" as SortKey == .descending("Price") && "Price" as SortKey == .ascending("Price"))
    }

    @Test func `a conflict says what the server said`() {
        let problem = Problem(.conflict, title: "Conflict", status: 409, detail: "There is a 'b' already.")
        let conflict = EditConflict(edit: .delete(["a"]), current: .missing, problem: problem)
        #expect(!conflict.isOutdated && conflict.localizedDescription == "There is a 'b' already.")
    }
}
