import JSONTree
import Testing

struct JSONNodeMembersTests {
    @Test func aNodeSetsAMemberAtItsPlaceOrBehindTheOthers() {
        var node: JSONNode = ["a": 1, "b": 2]
        node.setMember("a", 3)
        node.setMember("c", 4)
        node.setMember("d", nil)
        #expect(node.description == #"{"a":3,"b":2,"c":4}"#)
    }

    @Test func aNodeRemovesAMember() {
        var node: JSONNode = ["a": 1, "b": 2, "c": 3]
        node.removeMember("b")
        node.removeMember("x")
        #expect(node.description == #"{"a":1,"c":3}"#)
    }

    @Test func aNodeLeavesWhatIsNoObject() {
        var node: JSONNode = [1]
        node.setMember("a", 1)
        node.removeMember("a")
        #expect(node == [1])
    }
}
