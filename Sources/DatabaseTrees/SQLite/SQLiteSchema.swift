internal import Levels

/// The tables of a tree in a SQLite file.
enum SQLiteSchema {
    /// The number in the file's header that marks a file of drilldown: `drld` in ASCII.
    static let applicationID: Int64 = 0x6472_6C64

    /// The tables beside `items`.
    static let tables = """
        CREATE TABLE head (one INTEGER NOT NULL UNIQUE DEFAULT 1 CHECK (one = 1), format INTEGER NOT NULL,
          epoch TEXT NOT NULL, revision INTEGER NOT NULL, oldest INTEGER NOT NULL, keys TEXT) STRICT;
        CREATE TABLE revisions (revision INTEGER PRIMARY KEY, mark TEXT NOT NULL, at TEXT NOT NULL, author TEXT,
          writer TEXT, is_whole INTEGER NOT NULL DEFAULT 0) STRICT;
        CREATE TABLE changes (seq INTEGER PRIMARY KEY, revision INTEGER, item INTEGER NOT NULL, parent INTEGER,
          section INTEGER, position INTEGER, fields TEXT) STRICT;
        CREATE INDEX changes_revision ON changes (revision, seq);
        """

    /// The table of rows; the rest follows the rows, because an import is faster without it.
    static func items(_ names: StructuralNames) -> String {
        """
        CREATE TABLE items (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES items ON DELETE CASCADE,
          section INTEGER NOT NULL DEFAULT 0, position INTEGER NOT NULL,
          fields TEXT NOT NULL CHECK (json_valid(fields)),
          CONSTRAINT root_is_0 CHECK ((parent IS NULL) = (id = 0)),
          CONSTRAINT item_is_titled CHECK (id = 0 OR json_type(fields) = 'text'
            OR \(extract(paths(names[.title] + names[.key]))) IS NOT NULL)) STRICT;
        """
    }

    /// The column with the title of an item, for programs that read with SQL. SQLite also computes the title at each
    /// insert, so an import adds the column after the rows.
    static func title(_ names: StructuralNames) -> String {
        """
        ALTER TABLE items ADD COLUMN title TEXT AS (CASE json_type(fields) WHEN 'text' THEN json_extract(fields, '$')
          ELSE \(extract(paths(names[.title]))) END) VIRTUAL;
        """
    }

    /// The indexes of `items`. An item whose fields are a string has no key: `json_extract` gives NULL for it.
    static func indexes(_ names: StructuralNames) -> String {
        let key = extract(paths(names[.key]))
        return """
            CREATE INDEX items_level ON items (parent, position, id);
            CREATE UNIQUE INDEX items_key ON items (parent, \(key)) WHERE \(key) IS NOT NULL;
            """
    }

    /// A query for an item whose key another item of the level has, too, and contains U+0000 in a field.
    static func repeatedKey(_ names: StructuralNames, withZeroIn name: String) -> String {
        let key = extract(paths(names[.key]))
        return """
            SELECT id FROM items WHERE instr(fields -> \(paths([name])[0]), '\\u0000') > 0
              AND (parent, \(key)) IN (SELECT parent, \(key) FROM items
                WHERE \(key) IS NOT NULL GROUP BY 1, 2 HAVING count(*) > 1)
            ORDER BY id LIMIT 1
            """
    }

    /// The triggers that log the writes of all programs.
    static let triggers = """
        CREATE TRIGGER inserted AFTER INSERT ON items BEGIN
          INSERT INTO changes (item, parent, section, position, fields)
            VALUES (NEW.id, NEW.parent, NEW.section, NEW.position, NEW.fields); END;
        CREATE TRIGGER updated AFTER UPDATE ON items BEGIN
          INSERT INTO changes (item) SELECT OLD.id WHERE OLD.id <> NEW.id;
          INSERT INTO changes (item, parent, section, position, fields)
            VALUES (NEW.id, NEW.parent, NEW.section, NEW.position, NEW.fields); END;
        CREATE TRIGGER deleted AFTER DELETE ON items BEGIN
          INSERT INTO changes (item) VALUES (OLD.id); END;
        """

    /// Removes the triggers and indexes of `items`, of which another program may have removed some.
    static let removals = """
        DROP TRIGGER IF EXISTS inserted; DROP TRIGGER IF EXISTS updated; DROP TRIGGER IF EXISTS deleted;
        DROP INDEX IF EXISTS items_key; DROP INDEX IF EXISTS items_level;
        """

    private static func paths(_ names: [String]) -> [String] {
        names.map { name in
            // A JSON path with the name in double quotes, as a text in SQL.
            let path = "$.\"\(name)\""
            return "'" + path.replacing("'", with: "''") + "'"
        }
    }

    private static func extract(_ paths: [String]) -> String {
        let values = paths.map { "json_extract(fields, \($0))" }
        return values.count == 1 ? values[0] : "coalesce(\(values.joined(separator: ", ")))"
    }
}

extension SQLiteConnection {
    /// Whether the file holds a tree; if not, it may be a database of another program.
    package var holdsTree: Bool {
        get throws(DatabaseError) {
            let isOurs = try first("PRAGMA application_id")?[0] == .integer(SQLiteSchema.applicationID)
            guard isOurs else { return false }
            return try first("SELECT 1 FROM sqlite_master WHERE name = 'head'") != nil
        }
    }
}
