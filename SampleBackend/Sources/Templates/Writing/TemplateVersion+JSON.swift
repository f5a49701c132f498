import Foundation
public import JSONTree
import OrderedCollections

extension TemplateVersion {
    /// The version as Firebase writes it: numbers as strings, the time in UTC to the millisecond.
    public var json: JSONNode {
        var members: OrderedDictionary<String, JSONNode> = [
            "versionNumber": .string("\(number)"),
            "updateTime": .string(
                updateTime.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))),
        ]
        var user: OrderedDictionary<String, JSONNode> = [:]
        user["name"] = updateUser.name.map { .string($0) }
        user["email"] = updateUser.email.map { .string($0) }
        user["imageUrl"] = updateUser.imageURL.map { .string($0) }
        if !user.isEmpty { members["updateUser"] = .object(user) }
        members["description"] = description.map { .string($0) }
        members["updateOrigin"] = .string(updateOrigin.rawValue)
        members["updateType"] = .string(updateType.rawValue)
        members["rollbackSource"] = rollbackSource.map { .string("\($0)") }
        return .object(members)
    }

    /// Reads what a template says of its version, as far as it can be read.
    ///
    /// Who publishes a template that was exported sends this back; the server decides all of it
    /// anew but the description, so that nothing in it is an error.
    init(_ members: OrderedDictionary<String, JSONNode>) {
        func number(_ node: JSONNode?) -> Int? {
            node?.stringValue.flatMap { Int($0) } ?? node?.integerValue
        }
        let time = members["updateTime"]?.stringValue ?? ""
        let style = Date.ISO8601FormatStyle()
        let date =
            (try? style.parse(time))
            ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(time))
        self.init(
            number: number(members["versionNumber"]) ?? 0,
            updateTime: date ?? Date(timeIntervalSince1970: 0),
            updateUser: User(
                name: members["updateUser"]?["name"]?.stringValue,
                email: members["updateUser"]?["email"]?.stringValue,
                imageURL: members["updateUser"]?["imageUrl"]?.stringValue),
            description: members["description"]?.stringValue,
            updateOrigin: members["updateOrigin"]?.stringValue.flatMap(Origin.init(rawValue:))
                ?? .unspecified,
            updateType: members["updateType"]?.stringValue.flatMap(UpdateType.init(rawValue:))
                ?? .unspecified,
            rollbackSource: number(members["rollbackSource"]))
    }
}
