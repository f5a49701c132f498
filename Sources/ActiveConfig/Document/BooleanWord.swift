/// The words that read as a boolean (FORMAT 5).
enum BooleanWord {
    /// What `text` means, or nil when it is none of the words.
    ///
    /// Case does not count; white space does.
    static func meaning(of text: String) -> Bool? {
        guard text.utf8.count <= 5 else { return nil }
        switch text.lowercased() {
        case "true", "yes", "y", "t", "on", "1": return true
        case "false", "no", "n", "f", "off", "0": return false
        default: return nil
        }
    }
}
