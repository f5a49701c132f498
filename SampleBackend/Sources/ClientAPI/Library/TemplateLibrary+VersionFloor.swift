import NIOConcurrencyHelpers
import Rendering
package import TemplateStore
import Templates

// The version floor, below which the versions of clients are not comparable.
extension TemplateLibrary {
    /// The version floor: what a client has with a version up to it may be of another history of
    /// the store, and cannot be compared with the stored version of that number.
    var versionFloor: Int { state.withLockedValue(\.versionFloor) }

    /// Applies a version that this process has published, unless it is stale.
    package func applyPublished(_ stored: StoredTemplate) async {
        do throws(TemplateStoreError) {
            try await readVersionFloor(ifRaisedBefore: stored)
        } catch {
            log(error, operation: "read_version_floor")
        }
        apply(stored)
    }

    /// Reads the version floor if a gap before a version shows that it may have been raised: the
    /// store's changes can report the raise after the version is applied.
    func readVersionFloor(
        ifRaisedBefore stored: StoredTemplate
    ) async throws(TemplateStoreError) {
        guard let known = project(stored.project)?.compiled.version.number,
            stored.version.number > known + 1
        else { return }
        try await readVersionFloor()
    }

    /// Reads the version floor, and notifies the observers if it was raised.
    func readVersionFloor() async throws(TemplateStoreError) {
        let floor = try await store.versionFloor()
        let isRaised = state.withLockedValue { state in
            defer { state.versionFloor = max(floor, state.versionFloor) }
            return floor > state.versionFloor
        }
        if isRaised { notify(.versionFloor) }
    }
}
