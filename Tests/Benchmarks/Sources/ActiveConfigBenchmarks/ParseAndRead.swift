import ActiveConfig
import Foundation
import Measuring

/// Lower bound for the first read of a stored document: reading the file and parsing the document.
enum ParseAndRead {
    /// The two sides of the sum with which another side is compared.
    static func sides(_ data: Data, in file: URL) throws -> [Side] {
        [
            try Side.repeating("parse") { try ConfigurationState(jsonData: data).sections.count },
            try Side.repeating("read") { try Data(contentsOf: file).count },
        ]
    }

    /// The row that compares the first samples with the sum of the others.
    static func row(_ name: String, _ work: String, _ samples: [Samples]) -> Row {
        let times = samples.map(\.median)
        return Row(
            name, work, ours: samples[0], against: "parse and read",
            nanoseconds: times[1] + times[2],
            text: "\(Figure.text(ofNanoseconds: times[1])) + "
                + Figure.text(ofNanoseconds: times[2]),
            wanted: .atMostTimes(1.4))
    }
}
