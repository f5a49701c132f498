package import HTTPServing
import HTTPTypes
import JSONTree
import Targeting
package import TemplateStore

extension RequestError {
    /// Maps a store error about a project to the client's error.
    package init(_ error: TemplateStoreError, project: String) {
        self =
            switch error.code {
            case .versionMismatch:
                .versionMismatch(
                    "The current version of \"\(project)\" is \(error.currentVersion ?? 0), not the "
                        + "one that If-Match names: get it, see what changed since, and send the "
                        + "request again with its ETag.")
            case .projectMissing: .unknownProject(project)
            case .versionMissing: .notFound(error.message)
            case .draftMismatch: .draftMismatch(error.message)
            case .overridesMismatch: .overridesMismatch
            case .projectDetailsMismatch: .projectDetailsMismatch
            case .tooManyOverrides, .tooManyWebhooks, .tooManyDrafts, .tokenNameExists:
                .invalidArgument(error.message)
            case .outOfSpace: .outOfSpace(error.clientMessage)
            case .filesReplaced: .filesReplaced(error.clientMessage)
            case .otherStore, .changesLost: .storeIsAnotherOne
            case .newerSchema: .newerSchema(error.clientMessage)
            case .outcomeUnknown: .outcomeUnknown
            case .damaged: .storeDamaged
            default: .storeUnavailable
            }
    }

    /// 404: nothing was ever published in the project.
    package static func unknownProject(_ project: String) -> RequestError {
        .notFound(
            "There is no project \"\(project.shortened)\": a project exists from its first publish "
                + "on.")
    }
}

extension RequestError {
    /// 412: the template has changed since the version that the change is based on.
    static func versionMismatch(_ message: String) -> RequestError {
        RequestError(
            httpStatus: .preconditionFailed, statusName: "VERSION_MISMATCH", message: message)
    }

    /// 412: the stored draft is not the one that the change is based on.
    static func draftMismatch(_ message: String) -> RequestError {
        RequestError(
            httpStatus: .preconditionFailed, statusName: "DRAFT_MISMATCH", message: message)
    }

    /// 412: the values pinned for the user are not those that the change is based on.
    static let overridesMismatch = RequestError(
        httpStatus: .preconditionFailed, statusName: "OVERRIDES_MISMATCH",
        message: "The values pinned for this user are not those of If-Match, or there are some, "
            + "which If-None-Match: * rules out. Get them, make the change to them and send it again "
            + "with their ETag in If-Match.")

    /// 412: the details of the project are not those that the change is based on.
    package static let projectDetailsMismatch = RequestError(
        httpStatus: .preconditionFailed, statusName: "PROJECT_DETAILS_MISMATCH",
        message: "The details of the project are not those that If-Match names: get them, make "
            + "the change to them and send it again with their ETag.")

    /// 503: the store is unavailable or cannot write.
    package static let storeUnavailable = RequestError(
        httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
        message:
            "The store of the server cannot be read or written now, as its log says: try again "
            + "in a few seconds.",
        headerFields: [.retryAfter: "5"])

    /// 503: the server cannot read a version that its client has, or the only one of a project.
    static let unreadableVersion = RequestError(
        httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
        message:
            "The server cannot read the current version of the project, as its log says, maybe since a "
            + "newer version of the server has published it: try again in a few seconds.",
        headerFields: [.retryAfter: "5"])

    /// 503: the store has content that cannot be read.
    static let storeDamaged = RequestError(
        httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
        message:
            "The store of the server has content that cannot be read, so nothing was stored: whoever "
            + "runs it finds what that is in its log, and has to restore it.",
        headerFields: [.retryAfter: "60"])

    /// 503: the store did not say whether it has stored the change.
    static let outcomeUnknown = RequestError(
        httpStatus: .serviceUnavailable, statusName: "OUTCOME_UNKNOWN",
        message:
            "Whether the change is stored is not known yet, since the store of the server did not "
            + "answer; the server goes on asking it. Get the current state, or the audit trail, before "
            + "you send it again.",
        headerFields: [.retryAfter: "5"])

    /// 503: the store is full; by default, the disk of a database.
    static func outOfSpace(_ message: String?) -> RequestError {
        RequestError(
            httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
            message: message
                ?? "The server cannot write, so nothing was stored: there is no space left on the "
                + "disk of its database; free space there and try again.",
            headerFields: [.retryAfter: "30"])
    }

    /// 503: the store was removed or replaced since it was opened; by default, the files of a database.
    static func filesReplaced(_ message: String?) -> RequestError {
        RequestError(
            httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
            message: message
                ?? "The files of the server's database were removed, moved or replaced while it runs, "
                + "so it stores nothing more: whoever runs it has to look at them, as its log says, "
                + "and to start it again.",
            headerFields: [.retryAfter: "60"])
    }

    /// 503: the store is not the one that the server knows, or has lost changes.
    static let storeIsAnotherOne = RequestError(
        httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
        message:
            "The server's store is another one now, or has lost changes that the server knows, so nothing is "
            + "stored: whoever runs it has to bring the store back, or to start the server again, with "
            + "--snapshot after moving its file away, as its log says.",
        headerFields: [.retryAfter: "60"])

    /// 503: a newer program has migrated the store since it was opened.
    static func newerSchema(_ message: String?) -> RequestError {
        RequestError(
            httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
            message: message
                ?? "A newer version of the server has migrated the database, so this one stores "
                + "nothing more: whoever runs it has to stop it.",
            headerFields: [.retryAfter: "60"])
    }
}
