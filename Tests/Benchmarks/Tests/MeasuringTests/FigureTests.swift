import Measuring
import Testing

/// Figures as text.
struct FigureTests {
    @Test(arguments: [
        (0.5, "0.5"), (0.944, "0.94"), (9.99, "9.99"), (24.06, "24.1"), (99.96, "100"),
        (1234.4, "1,234"), (20, "20"),
    ])
    func aFigureIsRoundedToThreeDigitsOrAWholeNumber(_ number: Double, _ text: String) {
        #expect(Figure.text(of: number) == text)
    }

    @Test(arguments: [
        (77.2, "77.2 ns"), (999.4, "999 ns"), (999.9, "1 µs"), (4_500, "4.5 µs"),
        (1_200_000, "1.2 ms"), (2_000_000_000, "2 s"),
    ])
    func theTextOfATimeChoosesTheUnit(_ time: Double, _ text: String) {
        #expect(Figure.text(ofNanoseconds: time) == text)
    }
}
