/// The kinds of text documents, which differ in the characters that they allow and in the advice about others.
///
/// None allows control characters; XML excludes noncharacters too.
enum TextKind {
    case xml, json, table
}
