/// Why a document is refused, each a sentence.
extension JSONPropertyListReader {
    var cutShort: PropertyListError {
        PropertyListError("the document ends before its value does; it was cut short")
    }

    var cutShortInString: PropertyListError {
        PropertyListError("the document ends inside a string; '\"' is missing")
    }

    var trailingComma: PropertyListError {
        PropertyListError("a comma stands before the end of an array or object; JSON has no trailing commas")
    }

    var missingKey: PropertyListError {
        PropertyListError("an object's key must be a string in double quotes")
    }

    var missingColon: PropertyListError { PropertyListError("an object's key must be followed by ':' and a value") }

    var tooManyValues: PropertyListError {
        PropertyListError("the document holds more than \(limits.values) values; split it")
    }

    /// The error for what begins no value.
    mutating func noValue(_ first: UInt8) throws(PropertyListError) -> PropertyListError {
        if try window.matches("null", at: 0) {
            return PropertyListError("a property list has no null; leave the entry out")
        }
        switch first {
        case UInt8(ascii: ","): return PropertyListError("a value is missing before ','")
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            return PropertyListError("an array or object ends here that has not begun, or before a value is complete")
        case UInt8(ascii: "'"): return PropertyListError("a string must stand in double quotes")
        case UInt8(ascii: "/"), UInt8(ascii: "#"): return PropertyListError("JSON has no comments; remove this one")
        default:
            return PropertyListError(
                "no JSON value begins here; there are objects, arrays, strings in double quotes, numbers, true and false"
            )
        }
    }
}
