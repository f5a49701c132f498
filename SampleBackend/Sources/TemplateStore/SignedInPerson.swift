import Foundation

/// A person who signed in at an OpenID provider, as the provider described them at that time.
///
/// Sessions and votes keep it, so that the rules for roles can be applied to it again later.
public struct SignedInPerson: Sendable, Hashable, Codable {
    /// The provider.
    public let issuer: String

    /// The provider's identifier of the person.
    public let subject: String

    /// The verified e-mail address in lower case; nil when there is none.
    public let address: String?

    /// The e-mail address in lower case that is not verified; nil when there is none.
    ///
    /// It grants nothing, but rules refuse by it.
    public let unverifiedAddress: String?

    /// The groups at the sign-in, sorted; up to a limit those that the rules did not name.
    public let groups: [String]

    /// Creates a person.
    public init(
        issuer: String, subject: String, address: String? = nil, unverifiedAddress: String? = nil,
        groups: [String] = []
    ) {
        self.issuer = issuer
        self.subject = subject
        self.address = address
        self.unverifiedAddress = unverifiedAddress
        self.groups = groups
    }

    /// Identifies the person, whatever becomes of the address.
    public var identity: String { "\(issuer)#\(subject)" }

    /// The name in votes and in the audit trail: the verified address, else issuer and subject.
    ///
    /// Only an address can look like one, and new tokens have no such names, so nobody takes another
    /// person's name.
    public var name: String { address ?? identity }
}

extension SignedInPerson {
    /// The person as engines store it.
    package var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts can always be encoded; an empty one is read as nobody, who has no rights.
        return String(decoding: (try? encoder.encode(self)) ?? Data(), as: UTF8.self)
    }

    /// The person in a stored text; nil when it cannot be read.
    package init?(text: String) {
        guard let person = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else {
            return nil
        }
        self = person
    }
}
