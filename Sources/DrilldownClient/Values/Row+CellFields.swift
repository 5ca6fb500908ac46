// The fields that a row shows unless others are asked for.
extension Row {
    /// The field `Subtitle`: the second line of the row.
    public var subtitle: String? { fields["Subtitle"]?.text }

    /// The field `Image`: the name of a file of the service, or a URL; see `Server.imageData(for:)`.
    public var imageName: String? { fields["Image"]?.text }

    /// The field `Value`.
    public var value: FieldValue? { fields["Value"] }
}
