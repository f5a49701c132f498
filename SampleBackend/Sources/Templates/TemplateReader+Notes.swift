import JSONTree

extension TemplateReader {
    /// Reads owner, tags, permanence and archiving of a parameter.
    ///
    /// Earlier releases stored any value of these members without using it. In a published template
    /// such a value is kept as an unknown member.
    mutating func readNotes(
        _ members: inout NamedValues<JSONNode>, _ path: TemplatePath,
        into parameter: inout TemplateParameter
    ) {
        if let node = take("owner", from: &members, where: { $0.stringValue != nil }) {
            parameter.owner = readNote(
                node, path.member("owner"), maximumLength: limits.maximumOwnerLength,
                advice: "name the person or team to ask")
        }
        if let node = take("tags", from: &members, where: \.isListOfTexts) {
            parameter.tags = readTags(node, path.member("tags"))
        }
        if let node = take("permanent", from: &members, where: { $0.stringValue != nil }) {
            parameter.permanentReason = readNote(
                node, path.member("permanent"), maximumLength: limits.maximumReasonLength,
                advice: "give the reason why the setting stays")
        }
        if let node = take("archived", from: &members, where: { $0.boolValue != nil }) {
            if let value = node.boolValue {
                parameter.isArchived = value
            } else {
                found.add(
                    path.member("archived"), "it is \(node.kindDescription); make it true or false")
            }
        }
    }

    /// Removes and returns a member; nil when it is absent, `null`, or to be kept as it is.
    private func take(
        _ name: String, from members: inout NamedValues<JSONNode>,
        where isOfRightKind: (JSONNode) -> Bool
    ) -> JSONNode? {
        if limits.isPublished, let node = members[name], node != .null, !isOfRightKind(node) {
            return nil
        }
        return members.removePresentValue(forKey: name)
    }

    /// Reads a text for people; reports another kind of value, one that is too long, a blank, and one
    /// that cannot be shown on a line.
    private mutating func readNote(
        _ node: JSONNode, _ path: TemplatePath, maximumLength: Int, advice: String
    ) -> String? {
        guard let text = node.stringValue else {
            found.add(path, "it is \(node.kindDescription); \(advice), as a string")
            return nil
        }
        if text.isLonger(than: maximumLength) {
            found.add(
                path, "it has \(text.characterCount) characters; use at most \(maximumLength)")
        }
        guard !limits.isPublished else { return text }
        if text.isBlank {
            found.add(path, "it is empty; \(advice), or remove it")
        } else if text.hasInvisibleCharacters {
            found.add(path, "it has invisible characters, such as a line break; remove them")
        }
        return text
    }

    private mutating func readTags(_ node: JSONNode, _ path: TemplatePath) -> [String] {
        guard case .array(let nodes) = node else {
            found.add(path, "it is \(node.kindDescription); make it an array of strings")
            return []
        }
        if nodes.count > limits.maximumTags {
            found.add(path, "there are \(nodes.count); use at most \(limits.maximumTags) tags")
        }
        var tags: [String] = []
        var shown: Set<String> = []  // names: equivalent tags are to be found
        for (index, node) in nodes.prefix(limits.maximumTags).enumerated() {
            let path = path.element(index)
            guard let tag = node.stringValue else {
                found.add(path, "it is \(node.kindDescription); make it a string")
                continue
            }
            if !limits.isPublished {
                if let problem = tag.problemAsTag(maximumLength: limits.maximumTagLength) {
                    found.add(path, problem)
                }
                if !shown.insert(tag).inserted {
                    found.add(path, "the tag \"\(tag.shortened)\" is there twice; remove one")
                }
            }
            tags.append(tag)
        }
        return tags
    }
}

extension JSONNode {
    fileprivate var isListOfTexts: Bool {
        guard case .array(let nodes) = self else { return false }
        return nodes.allSatisfy { $0.stringValue != nil }
    }
}

extension String {
    /// The problem of a tag that cannot be written in a list with commas, or that is too long.
    func problemAsTag(maximumLength: Int) -> String? {
        if isLonger(than: maximumLength) {
            return "it has \(characterCount) characters; use at most \(maximumLength)"
        }
        if isBlank { return "it is empty; remove it" }
        if hasWhiteSpaceAtAnEnd { return "it begins or ends with white space; remove that" }
        if utf8.contains(UInt8(ascii: ",")) { return "it has a comma; make it two tags" }
        if unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return "it contains a control character; use letters, digits and punctuation"
        }
        return nil
    }

    fileprivate var isBlank: Bool { unicodeScalars.allSatisfy(\.properties.isWhitespace) }
}
