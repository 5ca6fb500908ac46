public import Levels
public import TreeSources

/// Edits whose author does not matter.
extension EditGroup {
    public func apply(_ batch: EditBatch) throws(EditRefusal) -> EditedTree? { try apply(batch, by: nil) }

    public func replaceDocument(with bytes: [UInt8]) throws(EditRefusal) -> EditedTree {
        try replaceDocument(with: bytes, by: nil)
    }
}
