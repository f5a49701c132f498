import Foundation
import GRDB

/// Bytes in a database, such as the UTF-8 of a text.
///
/// GRDB passes empty data as `NULL`, and a text only up to its first NUL. So empty bytes are passed
/// as an empty text, and statements use `CAST(? AS BLOB)`.
struct SQLiteBytes: DatabaseValueConvertible {
    let data: Data

    init(_ data: Data) { self.data = data }

    init(_ text: String) { data = Data(text.utf8) }

    var text: String { String(decoding: data, as: UTF8.self) }

    var databaseValue: DatabaseValue { data.isEmpty ? "".databaseValue : data.databaseValue }

    static func fromDatabaseValue(_ value: DatabaseValue) -> SQLiteBytes? {
        Data.fromDatabaseValue(value).map { SQLiteBytes($0) }
    }
}
