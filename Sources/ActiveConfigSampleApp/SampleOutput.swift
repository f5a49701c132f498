import ActiveConfig
import Foundation

/// What the app shows: a view and sentences on a terminal or in a pipe, or lines of JSON.
struct SampleOutput {
    /// Whether each event is a line of JSON.
    let isJSON: Bool

    /// The app has started.
    func started(user: String?) {
        write(
            event: "started", ["user": Self.value(user)],
            Terminal.isInteractive
                ? "Keys: 1 2 3 choose a user, g the generic one, d downloads, q quits."
                : "Started as \(Self.name(user)).")
    }

    /// The view as it is now.
    func show(_ view: SampleViewConfiguration, source: String, user: String?) {
        write(
            event: "section",
            ["user": Self.value(user), "source": .string(source), "view": view.settingValue],
            SampleScreen.text(of: view, caption: "\(Self.name(user)), \(source)"))
    }

    /// Another user is the current one.
    func userChanged(to user: String?) {
        write(event: "user", ["user": Self.value(user)], "Now it is \(Self.name(user)).")
    }

    /// A download succeeded.
    func downloaded(_ result: DownloadResult) {
        let names = result.changedSectionNames.sorted()
        write(
            event: "download",
            [
                "user": Self.value(result.userID),
                "is_current": .bool(result.configurationIsCurrent),
                "changed": .array(names.map { .string($0) }),
            ],
            names.isEmpty
                ? "Downloaded for \(Self.name(result.userID)): nothing has changed."
                : "Downloaded for \(Self.name(result.userID)): \(names.joined(separator: ", ")).")
    }

    /// A download failed; what was shown stays.
    func failed(_ error: any Error, shown source: String) {
        let isOffline = (error as? DownloadError)?.code == .cannotConnect
        write(
            event: "download_failed",
            ["offline": .bool(isOffline), "message": .string("\(error)")],
            "\(isOffline ? "Offline" : "The download failed"), still shown is what was last known "
                + "(\(source)). \(error)")
    }

    private func write(event: String, _ members: [String: SettingValue], _ text: String) {
        var members = members
        members["event"] = .string(event)
        let line = isJSON ? SettingValue.object(members).description : text
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }

    private static func value(_ user: String?) -> SettingValue { user.map { .string($0) } ?? .null }

    private static func name(_ user: String?) -> String {
        user.map { "user \($0)" } ?? "the generic user"
    }
}
