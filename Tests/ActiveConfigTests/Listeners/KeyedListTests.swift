import ActiveConfigTesting
import Testing

@testable import ActiveConfig

@Suite(.onOneThread)
struct KeyedListTests {
    /// Counts its comparisons and hashes.
    private struct CountingKey: Hashable {
        let number: Int
        let steps: Locked<Int>

        static func == (left: CountingKey, right: CountingKey) -> Bool {
            left.steps.withLock { $0 += 1 }
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) {
            steps.withLock { $0 += 1 }
            hasher.combine(number)
        }
    }

    /// Order of removals.
    enum Order: CaseIterable {
        case first, last, shuffled

        func apply(to numbers: [Int]) -> [Int] {
            switch self {
            case .first: return numbers
            case .last: return numbers.reversed()
            case .shuffled:
                var random = SeededGenerator(seed: 7)
                return numbers.shuffled(using: &random)
            }
        }
    }

    @Test(
        "An insertion or removal takes the same number of steps with 64,000 entries as with 1,000",
        arguments: Order.allCases)
    func stepsDoNotGrow(order: Order) {
        for count in [1_000, 8_000, 64_000] {
            let steps = Locked(0)
            var list = KeyedList<CountingKey, Int>()
            for number in 0..<count {
                list.append(number, forKey: CountingKey(number: number, steps: steps))
            }
            for number in order.apply(to: Array(0..<count)) {
                #expect(
                    list.removeElement(forKey: CountingKey(number: number, steps: steps))
                        == number)
            }
            #expect(list.isEmpty && list.elements.isEmpty)
            #expect(steps.withLock { $0 } <= 40 * count)
        }
    }

    @Test func theListIsTheSameAsAPlainArrayOfPairs() {
        for seed in 0..<40 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var list = KeyedList<Int, Int>()
            var plain: [(key: Int, element: Int)] = []
            for step in 0..<600 {
                let key = Int.random(in: 0..<(step < 300 ? 200 : 20), using: &random)
                if Int.random(in: 0..<5, using: &random) < (step < 200 ? 4 : 2) {
                    list.append(step, forKey: key)
                    plain.removeAll { $0.key == key }
                    plain.append((key, step))
                } else {
                    let removed = list.removeElement(forKey: key)
                    #expect(removed == plain.first { $0.key == key }?.element)
                    plain.removeAll { $0.key == key }
                }
                #expect(list[key] == plain.first { $0.key == key }?.element)
                #expect(list.count == plain.count)
                #expect(list.slots.count <= max(17, 2 * plain.count + 1))
                #expect(list.elements == plain.map(\.element), "seed \(seed)")
            }
        }
    }
}
