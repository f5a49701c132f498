import Foundation
import GRDB

/// Bytes in a database, such as the UTF-8 of a text.
///
/// GRDB passes empty data as `NULL`, and a text up to its first NUL. So empty bytes go as an empty
/// text, and a statement writes `CAST(? AS BLOB)` for them.
struct SQLiteBytes: DatabaseValueConvertible {
    /// The bytes.
    let data: Data

    /// Makes bytes.
    init(_ data: Data) { self.data = data }

    /// Makes the bytes of a text.
    init(_ text: String) { data = Data(text.utf8) }

    /// The bytes as a text.
    var text: String { String(decoding: data, as: UTF8.self) }

    /// What is passed to a statement.
    var databaseValue: DatabaseValue { data.isEmpty ? "".databaseValue : data.databaseValue }

    /// Takes a column's value.
    static func fromDatabaseValue(_ value: DatabaseValue) -> SQLiteBytes? {
        Data.fromDatabaseValue(value).map { SQLiteBytes($0) }
    }
}
