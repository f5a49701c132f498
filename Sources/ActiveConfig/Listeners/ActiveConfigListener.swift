/// An object that hears of the changes of sections it is registered for.
///
/// It is held weakly and called on the `listenerQueue` of its ``ActiveConfig``. A closure
/// (`listen(forSectionName:_:)`) or a sequence (`sections(named:)`) is often less work, above all in
/// a class of the main actor; see <doc:Listening-to-changes>.
public protocol ActiveConfigListener: AnyObject, Sendable {
    /// Called at once with the section as it is, if there is one, and then at each change.
    ///
    /// - Parameters:
    ///   - activeConfig: Whose configuration it is.
    ///   - section: The section as it is now; nil when it is gone.
    ///   - sectionName: The name it was registered for.
    func activeConfig(
        _ activeConfig: ActiveConfig, didReceiveConfigSection section: ActiveConfigSection?,
        forSectionName sectionName: String)
}
