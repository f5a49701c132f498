/// Something that changed in the library, by this process or another.
enum LibraryChange: Sendable, Hashable {
    /// A project has a new version.
    case project(String)
    /// What is pinned for a user changed, in these sections.
    case overrides(project: String, userID: String, sections: Set<String>)
    /// Everything was read anew.
    case everything
}
