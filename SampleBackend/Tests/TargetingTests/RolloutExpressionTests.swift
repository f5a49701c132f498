import Testing

@testable import Targeting

struct RolloutExpressionTests {
    @Test(arguments: [
        ("percent <= 5", "percent <= 25.5"),
        (
            "percent('a-5') <=  5 && device.os == 'ios'",
            "percent('a-5') <=  25.5 && device.os == 'ios'"
        ),
        ("(user.id in ['é', '5'] || percent <=5)", "(user.id in ['é', '5'] || percent <=25.5)"),
        ("percent('x') between 0 and 5.000000", "percent('x') between 0 and 25.5"),
    ])
    func onlyTheUpperBoundIsRaised(_ expression: String, _ raised: String) throws {
        let rollout = try RolloutExpression(expression)
        #expect(rollout.upperBound == 5_000_000 && rollout.lowerBound == 0)
        #expect(rollout.text(upTo: 25_500_000) == raised)
        #expect(try RolloutExpression(raised).upperBound == 25_500_000)
    }

    @Test(arguments: [
        "true", "percent > 5", "percent <= 5 && percent <= 6", "percent <= 5 || percent > 50",
        "!(percent <= 5)", "!(device.os == 'ios' && percent <= 5)", "percent <=", "",
    ])
    func otherExpressionsCannotBeRaised(_ expression: String) {
        #expect(throws: ConditionSyntaxError.self) { try RolloutExpression(expression) }
    }

    @Test func percentagesAreReadAsTheyAreWritten() {
        #expect(Percentile.micro(percent: "0.000001") == 1)
        #expect(Percentile.micro(percent: "100") == 100_000_000)
        for text in ["", "1e2", "-1", "100.1", "1.0000001", "1 ", " 1", "5%"] {
            #expect(Percentile.micro(percent: text) == nil, "\(text)")
        }
    }
}
