import OrderedCollections

extension JSONNode {
    /// Sets a member of an object, behind the others when it is new.
    ///
    /// - Parameters:
    ///   - name: The member's name.
    ///   - value: Its value; nil changes nothing, so that what is absent is left out.
    public mutating func setMember(_ name: String, _ value: JSONNode?) {
        guard case .object(var members) = self, let value else { return }
        self = .null
        members[name] = value
        self = .object(members)
    }

    /// Removes a member of an object.
    ///
    /// - Parameter name: The member's name; that there is none changes nothing.
    public mutating func removeMember(_ name: String) {
        guard case .object(var members) = self else { return }
        self = .null
        members.removeValue(forKey: name)
        self = .object(members)
    }
}
