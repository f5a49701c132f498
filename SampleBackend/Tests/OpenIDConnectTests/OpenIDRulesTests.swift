import Foundation
import JSONTree
import TemplateStore
import TemporaryFolders
import Testing

@testable import OpenIDConnect

struct OpenIDRulesTests {
    private static func rules(_ text: String) throws -> OpenIDRules {
        try OpenIDRules(jsonData: Data(text.utf8))
    }

    private static func person(_ address: String?, _ groups: String...) -> SignedInPerson {
        SignedInPerson(
            issuer: "https://login.example", subject: "1", address: address, groups: groups)
    }

    @Test func theFirstRuleThatFitsDecides() throws {
        let rules = try Self.rules(
            """
            {"rules": [
                {"email": "mallory@shop.example", "role": "none"},
                {"email": "Ada@Shop.example", "role": "publisher", "mayBypass": true},
                {"group": "shop", "projects": {"shop": "editor", "news": "viewer"}},
                {"group": "admins", "role": "publisher"},
                {"domain": "SHOP.example", "role": "viewer"}
            ]}
            """)
        let ada = try #require(rules.rights(of: Self.person("ada@shop.example")))
        #expect(ada.role == .publisher && ada.projects == nil && ada.mayBypass)
        #expect(rules.rights(of: Self.person("mallory@shop.example", "admins")) == nil)
        let both = try #require(rules.rights(of: Self.person("bob@shop.example", "admins", "shop")))
        #expect(both.role == .editor && !both.mayBypass)
        #expect(both.projects == ["shop": .editor, "news": .viewer])
        #expect(both.role(inProject: "shop") == .editor)
        #expect(both.role(inProject: "other") == nil)
        #expect(rules.rights(of: Self.person("eve@shop.example"))?.role == .viewer)
        #expect(rules.rights(of: Self.person("eve@shop.example"))?.role(inProject: "x") == .viewer)
        #expect(rules.rights(of: Self.person(nil, "admins"))?.role == .publisher)
        for stranger in [
            Self.person(nil), Self.person("eve@sub.shop.example"),
            Self.person("eve@notshop.example"), Self.person(nil, "Admins"),
        ] {
            #expect(rules.rights(of: stranger) == nil)
        }
        #expect(Set(rules.groups.map(\.text)) == ["shop", "admins"])
        #expect(rules.groupsClaim == "groups" && rules.scopes.isEmpty)
    }

    /// A refusal is not escaped by an address that is no longer verified, nor by another one.
    @Test func aRefusalHoldsForUnverifiedAddressesAndSubjects() throws {
        let rules = try Self.rules(
            """
            {"rules": [
                {"email": "mallory@shop.example", "role": "none"},
                {"domain": "gone.example", "role": "none"},
                {"subject": "7", "role": "none"},
                {"email": "ada@shop.example", "role": "publisher"},
                {"group": "shop", "role": "editor"}
            ]}
            """)
        func rights(_ unverified: String?, subject: String = "1") -> OpenIDRules.Rights? {
            rules.rights(
                of: SignedInPerson(
                    issuer: "https://login.example", subject: subject,
                    unverifiedAddress: unverified, groups: ["shop"]))
        }
        #expect(rights(nil)?.role == .editor)
        #expect(rights("mallory@shop.example") == nil)
        #expect(rights("eve@gone.example") == nil)
        #expect(rights(nil, subject: "7") == nil)
        // It grants nothing.
        #expect(rights("ada@shop.example")?.role == .editor)
    }

    @Test(arguments: [
        ("{\"rules\": [}", "Line 1, column 12"),
        ("[]", "the file: an array"),
        ("{}", "rules: an array is missing"),
        ("{\"rules\": [], \"rule\": []}", "the file: the member \"rule\""),
        ("{\"rules\": [{\"role\": \"viewer\"}]}", "rules[0]: give exactly one"),
        (
            "{\"rules\": [{\"email\": \"a@b\", \"group\": \"g\", \"role\": \"viewer\"}]}",
            "rules[0]: give exactly one"
        ),
        ("{\"rules\": [{\"email\": \"a\", \"role\": \"viewer\"}]}", "rules[0].email: \"a\""),
        ("{\"rules\": [{\"email\": \"a@é.example\", \"role\": \"viewer\"}]}", "rules[0].email"),
        ("{\"rules\": [{\"domain\": \"a@b\", \"role\": \"viewer\"}]}", "rules[0].domain"),
        ("{\"rules\": [{\"group\": \"\", \"role\": \"viewer\"}]}", "rules[0].group: give 1"),
        ("{\"rules\": [{\"group\": 1, \"role\": \"viewer\"}]}", "rules[0].group: a number"),
        ("{\"rules\": [{\"group\": \"g\"}]}", "rules[0]: give either role or projects"),
        (
            "{\"rules\": [{\"group\": \"g\", \"role\": \"evaluator\"}]}",
            "rules[0].role: give one of"
        ),
        ("{\"rules\": [{\"group\": \"g\", \"projects\": {}}]}", "rules[0].projects: give an"),
        (
            "{\"rules\": [{\"group\": \"g\", \"projects\": {\"shop\": \"none\"}}]}",
            "rules[0].projects.shop: give one of"
        ),
        (
            "{\"rules\": [{\"group\": \"g\", \"role\": \"none\", \"mayBypass\": true}]}",
            "rules[0].mayBypass"
        ),
        (
            "{\"rules\": [{\"group\": \"g\", \"role\": \"viewer\", \"mayBypass\": 1}]}",
            "rules[0].mayBypass: a number"
        ),
        ("{\"rules\": [], \"scopes\": [\"a b\"]}", "scopes[0]: \"a b\""),
        ("{\"rules\": [], \"groupsClaim\": null}", "groupsClaim: null"),
    ])
    func aMistakeIsNamedWithItsPlace(text: String, place: String) {
        let error = #expect(throws: OpenIDError.self) { try Self.rules(text) }
        #expect(error?.description.contains(place) == true, "\(error?.description ?? "")")
    }

    @Test func aFileIsReadAgainAndKeepsItsRulesAfterAMistake() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "{\"rules\": [{\"domain\": \"a.example\", \"role\": \"viewer\"}]}", to: "roles.json")
        let file = try await OpenIDRulesFile(path: path)
        let eve = Self.person("eve@a.example")
        #expect(file.rules.rights(of: eve)?.role == .viewer)
        _ = try folder.write("{\"rules\": 1}", to: "roles.json")
        let error = await #expect(throws: OpenIDError.self) { try await file.read() }
        #expect(error?.description.contains(path) == true)
        #expect(file.rules.rights(of: eve)?.role == .viewer)
        _ = try folder.write("{\"rules\": []}", to: "roles.json")
        try await file.read()
        #expect(file.rules.rights(of: eve) == nil)
        folder.remove()
        await #expect(throws: OpenIDError.self) { try await file.read() }
    }
}
