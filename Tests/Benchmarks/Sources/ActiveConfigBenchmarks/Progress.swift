import Foundation

/// Progress line on the terminal.
struct Progress {
    private let isShown = Terminal.showsProgress

    /// Replaces the line.
    func show(_ text: String) { write("\r\u{1B}[K\(text)") }

    /// Removes the line.
    func clear() { write("\r\u{1B}[K") }

    private func write(_ text: String) {
        if isShown { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
    }
}
