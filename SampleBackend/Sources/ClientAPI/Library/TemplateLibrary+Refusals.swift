package import HTTPServing
import HTTPTypes
import NIOConcurrencyHelpers
import Rendering
import Templates

extension TemplateLibrary {
    /// An unreadable version of a project that is newer than the current one; nil when there is
    /// none.
    func unreadableVersion(ofProject name: String) -> TemplateVersion? {
        state.withLockedValue { state in
            guard let version = state.unreadable[name],
                version.number > state.projects[name]?.compiled.version.number ?? 0
            else { return nil }
            return version
        }
    }

    /// The error for a request for a project that is not loaded.
    package func refusal(ofProject name: String) -> RequestError {
        unreadableVersion(ofProject: name) == nil ? .unknownProject(name) : .unreadableVersion
    }

    /// Returns a function that waits until the server has applied all changes of its store, for a
    /// request whose project may be new; nil when the request is refused for another reason.
    func catchUp(
        beforeRefusing error: RequestError, project name: String
    ) -> (@Sendable () async throws(RequestError) -> Void)? {
        guard let progress, error == .unknownProject(name) else {
            return nil
        }
        // Applied since the refusal.
        if project(name) != nil { return {} }
        return { () async throws(RequestError) in try await progress.catchUp() }
    }
}
