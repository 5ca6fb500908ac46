/// The errors for refused documents.
extension JSONPropertyListReader {
    var cutShort: PropertyListError {
        PropertyListError("the document ends before its value does; it was truncated")
    }

    var cutShortInString: PropertyListError {
        PropertyListError("the document ends inside a string; '\"' is missing")
    }

    var trailingComma: PropertyListError {
        PropertyListError("a comma precedes the end of an array or object; JSON does not allow trailing commas")
    }

    var missingKey: PropertyListError {
        PropertyListError("an object's key must be a string in double quotes")
    }

    var missingColon: PropertyListError { PropertyListError("an object's key must be followed by ':' and a value") }

    var tooManyValues: PropertyListError {
        PropertyListError("the document holds more than \(limits.values) values; split it")
    }

    /// The error for a byte that does not begin a value.
    func noValue(_ first: UInt8) -> PropertyListError {
        switch first {
        case UInt8(ascii: ","): return PropertyListError("a value is missing before ','")
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            return PropertyListError("an array or object ends here that was never begun, or before a value is complete")
        case UInt8(ascii: "'"): return PropertyListError("a string must be in double quotes")
        case UInt8(ascii: "/"), UInt8(ascii: "#"): return PropertyListError("JSON has no comments; remove this one")
        default:
            return PropertyListError(
                "this is not a JSON value; the values are objects, arrays, strings in double quotes, numbers, true and false"
            )
        }
    }
}
