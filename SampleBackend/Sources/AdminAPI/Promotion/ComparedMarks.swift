import ClientAPI
import HTTPServing
import JSONTree
import TemplateStore
import Templates

/// The marks of a project for what differs from another one on purpose, beside what both have now.
struct ComparedMarks: Sendable {
    /// A mark, and whether both projects still have what they had.
    fileprivate struct Mark {
        let mark: IntendedDifference
        let isThisSame: Bool
        let isOtherSame: Bool

        var isHolding: Bool { isThisSame && isOtherSame }
    }

    private let order: [ComparedSubject]
    private let marks: [ComparedSubject: Mark]

    /// Compares the marks for a project with the templates of both.
    init(
        _ marks: [IntendedDifference], from old: RemoteConfigTemplate, to new: RemoteConfigTemplate
    ) {
        order = marks.map(\.subject)
        self.marks = Dictionary(
            marks.map { mark in
                let then = Mark(
                    mark: mark,
                    isThisSame: mark.this.isSame(as: .init(old.deciding(mark.subject))),
                    isOtherSame: mark.that.isSame(as: .init(new.deciding(mark.subject))))
                return (mark.subject, then)
            }, uniquingKeysWith: { $1 })
    }

    /// What differs on purpose, as it was marked, the oldest mark first.
    var holding: [ComparedSubject] { order.filter { marks[$0]?.isHolding ?? false } }

    /// The settings of ``holding``.
    var settings: [SettingPlace] {
        holding.compactMap { subject in
            if case .setting(let place) = subject { place } else { nil }
        }
    }

    /// The conditions of ``holding``, by name.
    var conditions: [ExactText] {
        holding.compactMap { subject in
            if case .condition(let name) = subject { name } else { nil }
        }
    }

    /// Differences with their marks, in the member `mark`: with those that hold where they are intended,
    /// and with the others elsewhere.
    func json(of differences: TemplateDiff, areIntended: Bool) -> JSONNode {
        var body = differences.json
        func list(_ name: String, _ subjects: [ComparedSubject]) {
            let nodes = zip(body[name]?.arrayValue ?? [], subjects).map { node, subject in
                var node = node
                if let mark = marks[subject], mark.isHolding == areIntended {
                    node.setMember("mark", mark.json)
                }
                return node
            }
            body.setMember(name, .array(nodes))
        }
        list("conditions", differences.conditions.map { .condition(ExactText($0.name)) })
        list(
            "parameters",
            differences.parameters.map {
                .setting(SettingPlace(section: $0.section, key: $0.key))
            })
        return body
    }
}

extension ComparedMarks.Mark {
    /// The mark; when it no longer holds, with what has changed and what both had.
    fileprivate var json: JSONNode {
        var node = mark.json
        guard !isHolding else { return node }
        node.setMember("changed", isOtherSame ? "THIS" : isThisSame ? "OTHER" : "BOTH")
        node.setMember("then", mark.contentJSON)
        return node
    }
}

extension IntendedDifference {
    /// The note, who wrote it and when.
    var json: JSONNode {
        [
            "note": .string(note), "author": .string(author),
            "time": .string(date.timestamp),
        ]
    }

    /// What both projects had; null for what one did not have, and without what is too long.
    var contentJSON: JSONNode {
        var node = JSONNode.emptyObject
        for (name, content) in [("this", this), ("other", that)] {
            guard content.digest != nil else {
                node.setMember(name, .null)
                continue
            }
            node.setMember(
                name, content.text.flatMap { try? JSONNode(jsonData: .init($0.utf8)) })
        }
        return node
    }
}

extension Administration {
    /// The marks of a request's project for another one, beside what both have now.
    func marks(
        for source: String, by request: RouteRequest, from old: RemoteConfigTemplate,
        to new: RemoteConfigTemplate
    ) async throws(RequestError) -> ComparedMarks {
        let details = try await projectDetails(request.project).details
        let name = ExactText(source)
        return ComparedMarks(
            details.intendedDifferences.filter { $0.other == name }, from: old, to: new)
    }
}
