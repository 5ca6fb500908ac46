// Where the rows, headers and footers of a level are, in pixels from its top. All rows of a level have one height.

export class Geometry {
  // sections: as in the answer; heights: {row, header, footer(section)}.
  constructor(sections, heights) {
    this.sections = sections
    this.heights = heights
    this.tops = new Float64Array(sections.length + 1)
    this.footers = new Float64Array(sections.length)
    sections.forEach((section, index) => {
      this.footers[index] = section.footer ? heights.footer(section) : 0
      this.tops[index + 1] =
        this.tops[index] + this.headerHeight(index) + section.count * heights.row + this.footers[index]
    })
  }

  get total() {
    return this.tops[this.sections.length]
  }

  get count() {
    const last = this.sections.at(-1)
    return last ? last.start + last.count : 0
  }

  headerHeight(section) {
    return this.sections[section].title === null || this.sections[section].title === undefined ? 0 : this.heights.header
  }

  // The section that contains a height.
  sectionAt(y) {
    return lastAtMost(this.sections.length, index => this.tops[index] <= y)
  }

  sectionOfRow(row) {
    return lastAtMost(this.sections.length, index => this.sections[index].start <= row)
  }

  topOfRow(row) {
    const section = this.sectionOfRow(row)
    return this.tops[section] + this.headerHeight(section) + (row - this.sections[section].start) * this.heights.row
  }

  // The row at a height: the one below if the height is that of a header, the one above if it is that of a footer.
  rowAt(y) {
    const section = this.sectionAt(Math.max(0, y))
    const {start, count} = this.sections[section]
    const within = Math.floor((y - this.tops[section] - this.headerHeight(section)) / this.heights.row)
    return start + Math.max(0, Math.min(within, count - 1))
  }
}

// The last index below `count` for which `holds`, which holds for all before it; 0 if it holds for none.
function lastAtMost(count, holds) {
  let low = 0, high = count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (holds(middle)) low = middle
    else high = middle - 1
  }
  return low
}
