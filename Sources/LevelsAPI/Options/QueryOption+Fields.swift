extension QueryOption {
    /// `fields=`: the fields that the rows show.
    static let fields = QueryOption(
        name: "fields", grammar: "\"*\" / [ name *( \",\" name ) ]", example: "Text",
        defaultValue: "Subtitle,Image,Kind,View,Tag,Value,Type",
        summary: "The fields that each row shows: their names, all of them, or none.", effect: .content
    ) { value, query throws(Problem) in
        query.fields = try FieldSelection(value)
    }
}
