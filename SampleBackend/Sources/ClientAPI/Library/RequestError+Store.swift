package import HTTPServing
import HTTPTypes
import JSONTree
import Targeting
package import TemplateStore

extension RequestError {
    /// Maps a store error about a project to an error response.
    package init(_ error: TemplateStoreError, project: String) {
        self =
            switch error.code {
            case .versionMismatch:
                .versionMismatch(
                    "The current version of \"\(project)\" is \(error.currentVersion ?? 0), not the "
                        + "one in If-Match: get it, check what has changed since, and send the "
                        + "request again with its ETag.")
            case .projectMissing: .unknownProject(project)
            case .projectExists: .projectExists(error.message)
            case .projectArchived: .projectArchived(error.message)
            case .projectNotArchived: .projectNotArchived(error.message)
            case .versionMissing: .notFound(error.message)
            case .draftMismatch: .draftMismatch(error.message)
            case .overridesMismatch: .overridesMismatch
            case .projectDetailsMismatch: .projectDetailsMismatch
            case .tooManyOverrides, .tooManyWebhooks, .tooManyDrafts, .tokenNameExists,
                .tooManyChangeRequests, .changeRequestTooLarge:
                .invalidArgument(error.message)
            case .approvalRequired: .approvalRequired(error)
            case .changeRequestMismatch: .changeRequestMismatch(error.message)
            case .changeRequestEnded: .changeRequestEnded(error.message)
            case .outOfSpace: .outOfSpace(error.clientMessage)
            case .readOnly: .storeIsReadOnly
            case .filesReplaced: .filesReplaced(error.clientMessage)
            case .otherStore, .changesLost: .storeIsAnotherOne
            case .otherSchema: .otherSchema(error.clientMessage)
            case .outcomeUnknown: .outcomeUnknown
            case .damaged: .storeDamaged
            default: .storeUnavailable
            }
    }

    /// 404: there is no such project, or the caller's token does not include it.
    package static func unknownProject(_ project: String) -> RequestError {
        .notFound(
            "There is no project \"\(project.shortened)\": create it, or publish in it.")
    }
}

extension RequestError {
    /// 412: the template has changed since the version on which the change is based.
    static func versionMismatch(_ message: String) -> RequestError {
        RequestError(
            httpStatus: .preconditionFailed, statusName: "VERSION_MISMATCH", message: message)
    }

    /// 409: a project of this name exists.
    static func projectExists(_ message: String) -> RequestError {
        RequestError(httpStatus: .conflict, statusName: "ALREADY_EXISTS", message: message)
    }

    /// 403: the project can only be read.
    static func projectArchived(_ message: String) -> RequestError {
        RequestError(httpStatus: .forbidden, statusName: "PROJECT_ARCHIVED", message: message)
    }

    /// 409: only an archived project can be deleted.
    static func projectNotArchived(_ message: String) -> RequestError {
        RequestError(httpStatus: .conflict, statusName: "PROJECT_NOT_ARCHIVED", message: message)
    }

    /// 412: the stored draft is not the one on which the change is based.
    static func draftMismatch(_ message: String) -> RequestError {
        RequestError(
            httpStatus: .preconditionFailed, statusName: "DRAFT_MISMATCH", message: message)
    }

    /// 403: approvals are missing; `details` has their number.
    static func approvalRequired(_ error: TemplateStoreError) -> RequestError {
        var result = RequestError(
            httpStatus: .forbidden, statusName: "APPROVAL_REQUIRED", message: error.message)
        result.details = [
            [
                "path": "approvals", "message": .string(error.message),
                "missingApprovals": .number("\(error.missingApprovals ?? 0)"),
            ]
        ]
        return result
    }

    /// 412: the stored change request is not the one on which the act is based.
    static func changeRequestMismatch(_ message: String) -> RequestError {
        RequestError(
            httpStatus: .preconditionFailed, statusName: "CHANGE_REQUEST_MISMATCH",
            message: message)
    }

    /// 409: the change request is not open any more.
    static func changeRequestEnded(_ message: String) -> RequestError {
        RequestError(
            httpStatus: .conflict, statusName: "CHANGE_REQUEST_ENDED", message: message)
    }

    /// 412: the pinned values of the user are not those on which the change is based.
    static let overridesMismatch = RequestError(
        httpStatus: .preconditionFailed, statusName: "OVERRIDES_MISMATCH",
        message: "The values pinned for this user do not match If-Match, or values are pinned "
            + "although If-None-Match: * expects none. Get them, apply the change to them and send "
            + "it again with their ETag in If-Match.")

    /// 412: the details of the project are not those on which the change is based.
    package static let projectDetailsMismatch = RequestError(
        httpStatus: .preconditionFailed, statusName: "PROJECT_DETAILS_MISMATCH",
        message: "The details of the project do not match If-Match: get them, apply the change to "
            + "them and send it again with their ETag.")

    /// 503: the store is unavailable or cannot write.
    package static let storeUnavailable = RequestError(
        httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
        message:
            "The server's store is unavailable (see the server log): try again in a few seconds.",
        headerFields: [.retryAfter: "5"])

    /// 503: the server cannot read a version that the client already has, or the only version of a
    /// project.
    static let unreadableVersion = RequestError(
        httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
        message:
            "The server cannot read the current version of the project (see the server log), "
            + "possibly because a newer server published it: try again in a few seconds.",
        headerFields: [.retryAfter: "5"])

    /// 503: the store contains data that cannot be read.
    static let storeDamaged = RequestError(
        httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
        message:
            "The server's store has content that cannot be read, so nothing was stored: see the "
            + "server log for what must be restored.",
        headerFields: [.retryAfter: "60"])

    /// 503: the store did not confirm whether it has stored the change.
    static let outcomeUnknown = RequestError(
        httpStatus: .serviceUnavailable, statusName: "OUTCOME_UNKNOWN",
        message:
            "The store did not confirm the change, and the server keeps asking it. Check the "
            + "current state or the audit trail before you send the change again.",
        headerFields: [.retryAfter: "5"])

    /// 503: the store is full.
    ///
    /// The default message is about the disk of a database.
    static func outOfSpace(_ message: String?) -> RequestError {
        RequestError(
            httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
            message: message
                ?? "The server cannot write, so nothing was stored: there is no space left on the "
                + "disk of its database; free space and try again.",
            headerFields: [.retryAfter: "30"])
    }

    /// 503: the store can only be read.
    private static let storeIsReadOnly = RequestError(
        httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
        message: "The server cannot write, so nothing was stored: its database is read-only for "
            + "it; make the database and its folder writable and try again.",
        headerFields: [.retryAfter: "30"])

    /// 503: the store was removed or replaced since it was opened.
    ///
    /// The default message is about the files of a database.
    static func filesReplaced(_ message: String?) -> RequestError {
        RequestError(
            httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
            message: message
                ?? "The files of the server's database were removed, moved or replaced while it runs, "
                + "so it stores nothing more: check the files (see the server log) and restart the "
                + "server.",
            headerFields: [.retryAfter: "60"])
    }

    /// 503: the store is not the one that the server knows, or it has lost changes.
    static let storeIsAnotherOne = RequestError(
        httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
        message:
            "The server's store was replaced, or has lost changes that the server knows, so "
            + "nothing is stored: restore the store, or restart the server; with --snapshot, move "
            + "its file away first (see the server log).",
        headerFields: [.retryAfter: "60"])

    /// 503: another version of the server has replaced the store since it was opened.
    static func otherSchema(_ message: String?) -> RequestError {
        RequestError(
            httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
            message: message
                ?? "Another version of the server uses the database, so this server stores nothing "
                + "more: stop it.",
            headerFields: [.retryAfter: "60"])
    }
}
