import ClientAPI
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore
import Templates

/// The routes of API 3 for settings and conditions that differ from another project on purpose.
struct IntendedDifferenceRoutes: Sendable {
    let administration: Administration

    var routes: [Route] {
        [
            Route(
                "/v1/projects/{project}/intendedDifferences",
                [
                    .get: Endpoint(access: RoleAccess(.viewer), handler: list),
                    .put: Endpoint(access: RoleAccess(.editor), handler: put),
                    .delete: Endpoint(
                        access: RoleAccess(
                            .editor, query: ["with", "section", "key", "condition"]),
                        handler: remove),
                ])
        ]
    }

    /// The marks of the project, oldest first; with `with=NAME` those for one project.
    ///
    /// Those for projects that the caller's token does not include are left out.
    @Sendable
    private func list(_ request: RouteRequest) async throws -> RouteResponse {
        let other = try request.queryValue(named: "with").map { name throws(RequestError) in
            try ProjectName.check(name)
            return ExactText(name)
        }
        let stored = try await administration.projectDetails(request.project)
        let marks = stored.details.intendedDifferences.filter { mark in
            (other.map { $0 == mark.other } ?? true)
                && request.administrator?.includes(mark.other.text) ?? true
        }
        return .json(
            ["intendedDifferences": .array(marks.map(\.resourceJSON))],
            headerFields: [.eTag: "\"\(stored.marksTag)\"", .cacheControl: "no-store"])
    }

    /// Marks what differs now; the mark replaces an earlier one.
    @Sendable
    private func put(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.jsonBody(
            knows: ["with", "section", "key", "condition", "note", "etag", "withETag"])
        let subject = try ComparedSubject(named: { name throws(RequestError) in
            try body.optionalString(named: name, "a name")
        })
        guard let note = body["note"]?.stringValue else {
            throw RequestError.invalidArgument(
                "note is missing or not a string: say why it differs.")
        }
        try ShownText.check(
            note, named: "note", maximumLength: IntendedDifference.maximumNoteLength)
        guard let other = body["with"]?.stringValue else { throw RequestError.missingOtherProject }
        let pair = try await ProjectPair(of: request, source: other, administration)
        try pair.target.check(tag: body.optionalString(named: "etag", "an ETag"), in: "etag")
        try pair.source.check(
            tag: body.optionalString(named: "withETag", "an ETag"), in: "withETag")
        let mark = IntendedDifference(
            other: ExactText(other), subject: subject, note: note,
            author: request.participant.shownName, date: administration.now(),
            this: .init(try pair.target.validated().template.deciding(subject)),
            that: .init(try pair.source.validated().template.deciding(subject)))
        try Self.checkDifference(mark, pair)
        let stored = try await administration.changeDetails(
            by: request, tag: \.marksTag,
            auditing: "\(subject.shownName) differs from \(other) on purpose: \(note)"
        ) { current throws(RequestError) in
            var details = current
            details.intendedDifferences.removeAll { $0.isAbout(subject, in: mark.other) }
            details.intendedDifferences.append(mark)
            try Self.checkSize(details.intendedDifferences)
            return details
        }
        return .json(
            mark.resourceJSON,
            headerFields: [.eTag: "\"\(stored.marksTag)\"", .cacheControl: "no-store"])
    }

    /// Removes a mark, so that comparisons list the difference again.
    @Sendable
    private func remove(_ request: RouteRequest) async throws -> RouteResponse {
        guard let other = try request.queryValue(named: "with") else {
            throw RequestError.missingOtherProject
        }
        let subject = try ComparedSubject(named: { name throws(RequestError) in
            try request.queryValue(named: name)
        })
        guard request.administrator?.includes(other) ?? true else {
            throw RequestError.unknownProject(other)
        }
        _ = try await administration.changeDetails(
            by: request, tag: \.marksTag,
            auditing: "\(subject.shownName) no longer differs from \(other) on purpose"
        ) { current throws(RequestError) in
            var details = current
            let name = ExactText(other)
            details.intendedDifferences.removeAll { $0.isAbout(subject, in: name) }
            guard details.intendedDifferences.count < current.intendedDifferences.count else {
                throw .notFound(
                    "\(subject.shownName.shortened) is not marked as different from "
                        + "\"\(other.shortened)\": list the marks.")
            }
            return details
        }
        return .json(.emptyObject)
    }

    private static func checkDifference(
        _ mark: IntendedDifference, _ pair: ProjectPair
    ) throws(RequestError) {
        let name = mark.subject.shownName.shortened
        let both = "\"\(pair.target.project)\" and \"\(pair.source.project)\""
        if case .condition = mark.subject, mark.this.digest == nil || mark.that.digest == nil {
            throw .invalidArgument(
                "\(name) is not in both \(both): only a condition that both have can be marked.")
        }
        guard mark.this.digest != nil || mark.that.digest != nil else {
            throw .invalidArgument("Neither \(both) has \(name): compare them.")
        }
        guard !mark.this.isSame(as: mark.that) else {
            throw .invalidArgument(
                "\(name) decides the same in \(both): mark a condition, if one differs.")
        }
    }

    private static func checkSize(_ marks: [IntendedDifference]) throws(RequestError) {
        let (count, bytes) = (IntendedDifference.maximumCount, IntendedDifference.maximumBytes)
        guard marks.count <= count else {
            throw .invalidArgument("A project keeps \(count) marks: remove some.")
        }
        guard marks.record?.count ?? 0 <= bytes else {
            throw .invalidArgument(
                "The marks of a project take at most \(bytes) bytes: remove some, or write shorter "
                    + "notes.")
        }
    }
}

extension StoredProjectDetails {
    /// The entity tag of the marks, without quotation marks; it changes with all details.
    fileprivate var marksTag: String { "marks-\(revision)" }
}

extension ComparedSubject {
    /// Reads the members `section` and `key`, or `condition`.
    ///
    /// - Throws: A ``RequestError`` with status 400 unless there is exactly one setting or condition.
    fileprivate init(
        named value: (String) throws(RequestError) -> String?
    ) throws(RequestError) {
        switch (try value("section"), try value("key"), try value("condition")) {
        case (let section?, let key?, nil):
            self = .setting(SettingPlace(section: section, key: key))
        case (nil, nil, let name?): self = .condition(ExactText(name))
        default:
            throw .invalidArgument("Send either section and key, or condition.")
        }
    }
}

extension IntendedDifference {
    fileprivate func isAbout(_ subject: ComparedSubject, in other: ExactText) -> Bool {
        self.subject == subject && self.other == other
    }

    /// The mark with what it is about, and what both projects had.
    fileprivate var resourceJSON: JSONNode {
        var node = subject.json
        node.setMember("with", .string(other.text))
        for (name, value) in json.objectValue ?? [:] { node.setMember(name, value) }
        node.setMember("then", contentJSON)
        return node
    }
}

extension RequestError {
    fileprivate static var missingOtherProject: RequestError {
        .invalidArgument("with is missing: send the name of the other project.")
    }
}
