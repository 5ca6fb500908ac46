import DrilldownClient
import Foundation
import Testing

@testable import TestSupport

@Suite struct ControlTests {
    @Test func `every control of a settings bundle is read`() async throws {
        let running = try RunningServer(RunningServer.document("Settings.bundle"))
        let server = try running.client()
        let level = try await server.level(at: .root)
        var toggle = Control(type: "ToggleSwitch", key: "downloads", value: true)
        toggle.trueValue = true
        toggle.falseValue = false
        let quality = Control(
            type: "MultiValue", key: "quality", value: 256,
            options: [.init(title: "Saves space", value: 128), .init(title: "Sounds best", value: 256)])
        var slider = Control(type: "Slider", key: "volume", value: 0.5)
        slider.min = 0
        slider.max = 1
        var artist = Control(type: "RadioGroup", key: "order", value: "artist")
        artist.choice = "artist"
        var title = artist
        title.choice = "title"
        #expect(level.rows.map(\.control) == [toggle, quality, slider, artist, title, nil])
        var name = Control(type: "TextField", key: "name", value: "")
        name.keyboard = "EmailAddress"
        var password = Control(type: "TextField", key: "password")
        password.isSecure = true
        let account = try await server.level(at: ["account"])
        #expect(account.rows.map(\.control) == [name, password])
        for row in level.rows + account.rows {
            #expect(try await server.detail(at: row.path).control == row.control)
        }
    }

    @Test func `controls outside a settings bundle are read, with tags and values that are stored`() async throws {
        let folder = try ScratchFolder()
        let document = try folder.write(
            "Form.json",
            """
            {"Rows": [
              {"Title": "Send", "Type": "Button", "Tag": 7},
              {"Title": "Version", "Type": "TitleValue", "Value": "2.1"},
              {"Title": "On", "Type": "ToggleSwitch", "Value": "YES", "TrueValue": "YES", "FalseValue": "NO"}
            ]}
            """)
        let running = try RunningServer(document)
        let rows = try await running.client().level(at: .root).rows
        var button = Control(type: "Button")
        button.tag = 7
        var toggle = Control(type: "ToggleSwitch", value: "YES")
        toggle.trueValue = "YES"
        toggle.falseValue = "NO"
        #expect(rows.map(\.control) == [button, Control(type: "TitleValue", value: "2.1"), toggle])
    }
}
