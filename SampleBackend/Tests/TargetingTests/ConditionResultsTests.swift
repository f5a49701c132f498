import Targeting
import Testing

struct ConditionResultsTests {
    @Test(arguments: [0, 1, 63, 64, 65, 256, 257, 1000])
    func aBitSetKeepsEachResult(count: Int) {
        var results = ConditionResults(count: count)
        #expect(results.count == count)
        for index in 0..<count { results[index] = index % 3 == 0 }
        #expect((0..<count).allSatisfy { results[$0] == ($0 % 3 == 0) })
        var other = results
        #expect(other == results)
        #expect(other.hashValue == results.hashValue)
        for index in 0..<count {
            other[index].toggle()
            #expect(other != results)
            other[index].toggle()
        }
        #expect(other == results)
    }
}
