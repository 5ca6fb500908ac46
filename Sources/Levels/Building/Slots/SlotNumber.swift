/// The number of a slot in its `SlotTable`, from 1; 0 for none.
typealias SlotNumber = UInt8
