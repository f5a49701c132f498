import HTTPServing
import HTTPTypes
import NIOConcurrencyHelpers
import Rendering
import Templates

extension TemplateLibrary {
    /// The version of a project that is newer than the current one and cannot be read; nil when there is none.
    func unreadableVersion(ofProject name: String) -> TemplateVersion? {
        state.withLockedValue { state in
            guard let version = state.unreadable[name],
                version.number > state.projects[name]?.compiled.version.number ?? 0
            else { return nil }
            return version
        }
    }

    /// The refusal of a request for a project of which nothing is here.
    func refusal(ofProject name: String) -> RequestError {
        unreadableVersion(ofProject: name) == nil ? .unknownProject(name) : .unreadableVersion
    }

    /// Waits until the server knows all that its store has, for a request whose project may be new; nil
    /// when an error refuses it for another reason.
    func catchUp(
        beforeRefusing error: RequestError, project name: String
    ) -> (@Sendable () async throws(RequestError) -> Void)? {
        guard let progress, error.httpStatus == .notFound, project(name) == nil else { return nil }
        return { () async throws(RequestError) in try await progress.catchUp() }
    }
}
