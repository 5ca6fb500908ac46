internal import Bytes
internal import CPostgres
internal import Glibc
internal import PropertyLists
package import TreeSources

/// The parsed address of a PostgreSQL database, or of a tree in a database, such as
/// `postgres://alice@db.example/home?tree=music&read=standby`.
///
/// The parameters `tree` and `read` belong to drilldown. The rest is a connection URI of libpq ("Connection URIs" in
/// the manual of libpq).
package struct PostgresAddress: Sendable, Equatable {
    /// The address as the user gave it, without a password.
    package let shown: String
    /// The name of the tree, which is also the name of its schema; empty if the tables of the database are shown.
    let tree: String
    /// Whether a standby is preferred for reading.
    let readsStandby: Bool
    /// The parameters of the connection by libpq's names, without a password.
    private let parameters: [String: String]

    /// The length of the longest name of a tree in bytes; PostgreSQL cuts off longer names without an error.
    static let longestTreeName = 63

    /// Whether a source looks like the address of a tree in PostgreSQL, valid or not.
    static func isMeant(by text: String) -> Bool {
        let text = text.prefix(13).lowercased()
        return text.hasPrefix("postgres:") || text.hasPrefix("postgresql:")
    }

    /// - Throws: `SourceError` if the text is not a valid address, or the address names no tree or has a password.
    init(_ text: String) throws(SourceError) { try self.init(text, ofTree: true) }

    /// Creates the address of a database whose tables are shown.
    ///
    /// - Throws: `SourceError` if the text is not a valid address, or the address names a tree or has a password.
    package init(ofTables text: String) throws(SourceError) { try self.init(text, ofTree: false) }

    /// Whether an address has the parameter `tree`.
    package static func namesTree(_ text: String) -> Bool {
        text.split(separator: "?", maxSplits: 1).dropFirst().last?.split(separator: "&").contains {
            $0 == "tree" || $0.hasPrefix("tree=")
        } ?? false
    }

    private init(_ text: String, ofTree: Bool) throws(SourceError) {
        let parts = text.split(separator: "?", maxSplits: 1)
        // A password may contain a '?', which splits the address within the password.
        let isCut = parts.count == 2 && parts[1].contains("@") && !parts[0].contains("@")
        let safe = isCut ? "postgres://" : Self.withoutUser(String(parts.first ?? ""))
        let query = try Self.query(parts.count == 2 ? parts[1] : "", of: safe)
        if !isCut, let name = Self.unknown(query.others) {
            throw SourceError(
                safe,
                reason:
                    "the parameter '\(quoted: name)' is not one of tree, read, and those of PostgreSQL's client library"
            )
        }
        guard let parameters = Self.parse(String(parts.first ?? ""), others: query.others), Self.isMeant(by: text)
        else {
            throw SourceError(safe, reason: "it is not a valid address; write postgres://USER@HOST/DATABASE?tree=NAME")
        }
        guard parameters["password"] == nil, parameters["sslpassword"] == nil else { throw Self.password(in: safe) }
        guard ofTree || query.tree == nil else {
            throw SourceError(safe, reason: "'tree' names a tree; leave it out for the tables of the database")
        }
        let tree = query.tree ?? ""
        guard !ofTree || !tree.isEmpty else {
            throw SourceError(text, reason: "the address names no tree; add ?tree=NAME, the name of its schema")
        }
        guard tree.utf8.count <= Self.longestTreeName, !tree.utf8.contains(0) else {
            throw SourceError(
                text, reason: "the name of a tree is at most \(Self.longestTreeName) bytes long; shorten it")
        }
        guard query.read == nil || query.read == "standby" else {
            throw SourceError(text, reason: "'read' must be 'standby', or absent")
        }
        (shown, self.tree, readsStandby, self.parameters) = (text, tree, query.read != nil, parameters)
    }

    private static func password(in safe: String) -> SourceError {
        SourceError(
            safe,
            reason:
                "an address cannot contain a password, because other users of this computer can see it; put it into the file that PGPASSFILE or --database-password-file names, into ~/.pgpass, or into a service of PGSERVICEFILE"
        )
    }

    // MARK: Parts

    private struct Query {
        var tree, read: String?
        /// The parameters for libpq, as they were written.
        var others: [Substring] = []
    }

    private static func query(_ text: Substring, of safe: String) throws(SourceError) -> Query {
        var query = Query()
        for part in text.split(separator: "&") {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(sides.first ?? "")
            guard name == "tree" || name == "read" else {
                query.others.append(part)
                continue
            }
            guard sides.count == 2, let value = decoded(sides[1]) else {
                throw SourceError(safe, reason: "the value of '\(name)' is missing, or is not percent-encoded UTF-8")
            }
            guard (name == "tree" ? query.tree : query.read) == nil else {
                throw SourceError(safe, reason: "the parameter '\(name)' appears more than once")
            }
            if name == "tree" { query.tree = value } else { query.read = value }
        }
        return query
    }

    /// Returns the percent-decoded text; nil if the text is not valid percent-encoded UTF-8.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Returns the name of the first parameter that libpq does not know; nil if libpq knows all parameters.
    private static func unknown(_ parameters: [Substring]) -> String? {
        guard let options = unsafe PQconndefaults() else { return nil }
        defer { unsafe PQconninfoFree(options) }
        // A URI may contain `ssl`, although `ssl` is not in the list of options.
        var known: Set = ["ssl"]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            known.insert(unsafe String(cString: keyword))
            unsafe option += 1
        }
        let names = parameters.map { decoded($0.prefix { $0 != "=" }) ?? "" }
        return names.first { !known.contains($0) }
    }

    /// Returns the parameters that libpq reads from a URI; nil if the URI is not valid.
    ///
    /// The error message of libpq is not used, because it may quote a password.
    private static func parse(_ base: String, others: [Substring]) -> [String: String]? {
        let uri = others.isEmpty ? base : base + "?" + others.joined(separator: "&")
        guard let options = unsafe PQconninfoParse(uri, nil) else { return nil }
        defer { unsafe PQconninfoFree(options) }
        var parameters: [String: String] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                parameters[unsafe String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe option += 1
        }
        return parameters
    }

    /// An address without its user name and password.
    private static func withoutUser(_ text: String) -> String {
        guard let scheme = text.firstRange(of: "://") else { return text }
        let rest = text[scheme.upperBound...]
        guard let end = rest.lastIndex(of: "@") else { return text }
        return String(text[..<scheme.upperBound] + rest[rest.index(after: end)...])
    }
}

extension PostgresAddress {
    /// The name of the database. If the address omits it, libpq uses the name of the role instead.
    package var database: String { parameters["dbname"] ?? parameters["user"] ?? "PostgreSQL" }

    /// The hosts of the servers; empty for a socket on this machine.
    package var hosts: [String] {
        [parameters["host"], parameters["hostaddr"]].compactMap(\.self).flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// Returns the first parameter, in the order of names, that is not in `names`; nil if all parameters are in
    /// `names`.
    package func unusual(besides names: Set<String>) -> String? {
        parameters.keys.sorted().first { !names.contains($0) }
    }

    /// The use of a connection.
    enum Use: Sendable { case everything, reading, writing, tables }

    /// The parameters of a connection, for libpq. The parameters in the address override the defaults.
    func parameters(for use: Use, password: String?) -> [(name: String, value: String)] {
        var all = [
            "application_name": "drilldown", "connect_timeout": "5", "tcp_user_timeout": "15000",
            "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3",
        ]
        all["password"] = password
        // With several hosts, the first host that answers may be a standby, which accepts no edits.
        let hasChoice = parameters["host"]?.contains(",") == true
        all["target_session_attrs"] =
            switch use {
            case .everything: hasChoice ? "read-write" : "any"
            case .reading: "prefer-standby"
            case .writing: "read-write"
            case .tables: "any"
            }
        all.merge(parameters) { _, own in own }
        all["client_encoding"] = "UTF8"
        return all.map { (name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
    }
}
