import TemplateStore

/// What tests change about a ``SQLiteTemplateStore``.
package struct SQLiteStoreOptions: Sendable {
    /// How many changes are kept for those who follow them.
    package var keptChanges = TemplateStoreLimits.keptChanges
    /// The seconds to wait for another process that writes.
    package var busyTimeout = 5.0
    /// The pause between two looks for what other processes have written.
    package var pollInterval = Duration.milliseconds(100)
    /// The most pages of the file; nil for as many as the disk has room for.
    package var maximumPageCount: Int?

    /// Makes the options of a server.
    package init() {}
}
