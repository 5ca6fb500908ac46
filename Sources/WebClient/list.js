// A scrolling list of any length, the geometry of the list, and the letters at the edge of the list.

import {boxOf, el, hasFocus, on, plural, within} from './elements.js'

// MARK: The positions of rows, headers and footers in pixels from the top. All rows have the same height.

export class Geometry {
  // `sections`: as in the answer. `heights`: {row, header, gap, footer(section), isCut}. The gap is above each section
  // without a title, except the first section.
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

  get total() { return this.tops[this.sections.length] }

  get count() {
    const last = this.sections.at(-1)
    return last ? last.start + last.count : 0
  }

  headerHeight(section) {
    return this.sections[section].title == null ? section && this.heights.gap : this.heights.header
  }

  // The section at a vertical position.
  sectionAt(y) { return lastAtMost(this.sections.length, index => this.tops[index] <= y) }

  sectionOfRow(row) {
    return lastAtMost(this.sections.length, index => this.sections[index].start <= row)
  }

  topOfRow(row) {
    const section = this.sectionOfRow(row)
    return this.tops[section] + this.headerHeight(section) + (row - this.sections[section].start) * this.heights.row
  }

  // The row at a vertical position; for a header, the row below the header; for a footer, the row above the footer.
  rowAt(y) {
    const section = this.sectionAt(Math.max(0, y))
    const {start, count} = this.sections[section]
    const place = Math.floor((y - this.tops[section] - this.headerHeight(section)) / this.heights.row)
    return Math.min(start + within(0, place, count - 1), this.count - 1)
  }
}

// The last index below `count` up to which `holds` is true; otherwise 0.
function lastAtMost(count, holds) {
  let low = 0, high = count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (holds(middle)) low = middle
    else high = middle - 1
  }
  return low
}

// MARK: A list of any length that scrolls. Only the visible rows, and a few around them, are in the page.

// Browsers limit the height of an element. A longer list has an offset that moves with the scroll position.
const HIGHEST = 8_000_000
// Rows are also made up to this distance above and below the visible part; for printing, none are read.
const MARGIN = 300
const PRINTED = 50_000
// A block begins at the top of a section or at a multiple of this, so that rows seldom need new positions.
const BLOCK = 4000

// Up to this many sections, footers are as high as their texts; otherwise, they have one line and a tooltip.
export const MEASURED_FOOTERS = 200

// `source`: label, row(index), draw(element, row), need(first, last), scrolled(), resized(), and link(section) for the
// content of a header that is a link.
export class List {
  #rows = new Map()
  #blocks = new Map()
  #offset = 0
  #lastTop = 0
  #frame = 0

  geometry = null
  // The index strip sets this function.
  onresize = () => {}
  canvas = el('div.canvas')
  // The link of the row that has the focus. This row stays in the page wherever the list is scrolled to.
  focused = null
  #margin = MARGIN
  // The note with the number of rows that are not printed.
  #unprinted = el('p.unprinted')

  constructor(source, isTree) {
    this.source = source
    this.isTree = isTree
    this.element = el('div.scroller', {role: isTree ? 'tree' : null, onscroll: () => this.#scrolled()}, this.canvas)
    this.observer = new ResizeObserver(() => {
      if (this.geometry) this.source.resized()
      this.onresize()
    })
    this.observer.observe(this.element)
    on(this.element, 'focusin', ({target}) => {
      this.focused = target.closest('.item')?.dataset.href
      this.#awaited = -1
    })
  }

  // Makes the rows for printing; after printing, keeps only the rows around the visible part.
  print(isPrinting) {
    this.#margin = isPrinting ? PRINTED : MARGIN
    this.redraw()
    this.#unprinted.remove()
    const left = this.geometry.count - [...this.#rows.values()].filter(({row}) => row).length
    this.#unprinted.textContent = `${plural(left, 'more row')} not printed.`
    if (isPrinting && left > 0) this.element.append(this.#unprinted)
  }

  end() {
    this.observer.disconnect()
    cancelAnimationFrame(this.#frame)
  }

  // The sizes and the scroll position, as they are when a task begins. To read them after a change would make the
  // browser lay out the page.
  get box() {
    if (!this.#box) {
      const {clientWidth: width, clientHeight: height, offsetWidth, scrollTop: top} = this.element
      this.#box = {width, height, bar: offsetWidth - width, top}
      queueMicrotask(() => this.#box = null)
    }
    return this.#box
  }

  #box = null

  get #height() { return this.box.height }

  get y() {
    // The browser may not have sent the event of the latest scrolling yet.
    this.#follow()
    return this.box.top + this.#offset
  }

  set y(y) {
    const {total} = this.geometry, end = total - this.#height
    y = within(0, y, end)
    const real = Math.min(total, HIGHEST)
    this.canvas.style.height = real + 'px'
    // The offset is proportional to the position, so that both ends of the list are reached.
    this.#setOffset(total > HIGHEST ? Math.round((y / end) * (total - real)) : 0)
    if (this.box.top !== y - this.#offset) {
      this.element.scrollTop = y - this.#offset
      this.box.top = this.element.scrollTop
    }
    this.#lastTop = this.box.top
    this.update()
  }

  #setOffset(offset) {
    if (offset === this.#offset) return
    this.#offset = offset
    for (const block of this.#blocks.values()) block.element.style.top = block.top - offset + 'px'
  }

  #follow() {
    const {top} = this.box, moved = Math.abs(top - this.#lastTop), total = this.geometry?.total ?? 0
    if (moved && total > HIGHEST) {
      const height = this.#height
      const share = top / (HIGHEST - height)
      const offset = Math.round(share * (total - HIGHEST))
      // A long distance is a jump by the scroll bar. Over a short distance, rows move exactly as far as the finger or
      // the wheel; the offset is corrected only at the ends, or if it is too far from the proportional offset.
      if (moved > height * 2) this.#setOffset(offset)
      else if (Math.abs(offset - this.#offset) > HIGHEST / 4 || share <= 0 || share >= 1) this.y = top + this.#offset
    }
    this.#lastTop = this.box.top
  }

  #scrolled() {
    this.#follow()
    if (!this.#frame) {
      this.#frame = requestAnimationFrame(() => {
        this.#frame = 0
        this.update()
        this.source.scrolled()
      })
    }
  }

  // The indices of the first and the last visible row; null before the list is shown.
  get visible() {
    if (!this.geometry) return null
    const header = this.geometry.heights.header
    return {first: this.geometry.rowAt(this.y + header), last: this.geometry.rowAt(this.y + this.#height)}
  }

  // Scrolls as little as is needed to make a row visible, or moves the row to the middle or to the top.
  reveal(index, where = 'nearest') {
    const {row, header} = this.geometry.heights
    const top = this.geometry.topOfRow(index), height = this.#height
    if (where === 'top') this.y = top - this.geometry.headerHeight(this.geometry.sectionOfRow(index))
    else if (where === 'middle') this.y = top - (height - row) / 2
    else if (top < this.y + header) this.y = top - header
    else if (top + row > this.y + height) this.y = top + row - height
  }

  show(geometry) {
    this.geometry = geometry
    this.#removeBlocks(() => true)
    this.#rows.clear()
    this.y = this.y
  }

  #removeBlocks(isOver) {
    for (const [number, block] of this.#blocks) {
      if (!isOver(number, block)) continue
      block.element.remove()
      this.#blocks.delete(number)
    }
  }

  // Shows other rows, scrolled to `y`. Remaining rows keep their elements, and move from the old to the new positions.
  replace(geometry, y) {
    const isAnimated = !matchMedia('(prefers-reduced-motion: reduce)').matches
    const before = isAnimated && this.#positions(), focusedIndex = this.#focusedIndex(), {focused} = this,
      {first, last} = this.visible
    const shown = [...this.#rows.values()].map(({element}) => element)
    this.#kept = new Map(shown.map(element => [element.dataset.href, element]))
    this.#rows.clear()
    const old = this.geometry.sections
    this.geometry = geometry
    // A block is kept if the new section with the same number has the same title and the same footer.
    this.#removeBlocks(number =>
      ['title', 'footer'].some(part => geometry.sections[number]?.[part] !== old[number][part]))
    this.y = y
    const used = new Set([...this.#rows.values()].map(({element}) => element))
    for (const element of shown) if (!used.has(element)) element.remove()
    this.#kept = null
    this.#putInOrder()
    // A focused row that has moved into another section has lost the focus, and gets it back. If the row is gone, the
    // row that is now at the same index gets the focus. If the row was not visible, the list gets the focus, and stays
    // where it is.
    if (focusedIndex >= 0 && !hasFocus(this.element) && !this.#focusLink(focused)) {
      if (first <= focusedIndex && focusedIndex <= last) this.focus(focusedIndex)
      else this.element.focus({preventScroll: true})
    }
    if (isAnimated) this.#animate(before)
  }

  #kept = null

  // Puts the elements into the order of the rows, for screen readers.
  #putInOrder() {
    for (const index of [...this.#rows.keys()].sort((a, b) => b - a)) {
      const {element} = this.#rows.get(index)
      const list = element.parentNode, next = this.#elementAfter(index, list)
      if (element.nextSibling === next) continue
      // Not all browsers have `moveBefore`, which keeps the focus.
      if (list.moveBefore) list.moveBefore(element, next)
      else list.insertBefore(element, next)
    }
  }

  // The position on the screen and the version of each row, by the row's link.
  #positions() {
    const rows = [...this.#rows.values()].filter(({row}) => row)
    return new Map(rows.map(({element, row}) => [row.href, {top: boxOf(element).top, version: row.version}]))
  }

  #animate(before) {
    const rows = [...this.#rows.values()].filter(({row}) => row)
    // A row that is still moving begins anew from its present position.
    for (const {element} of rows) for (const animation of element.getAnimations()) animation.cancel()
    for (const [href, {top, version}] of this.#positions()) {
      const old = before.get(href), {element} = rows.find(({row}) => row.href === href)
      if (old?.top !== top) element.animate([old ? {translate: `0 ${old.top - top}px`} : {opacity: 0}, {}],
        {duration: 220, easing: 'ease-out'})
      if (old && old.version !== version) element.animate([{backgroundColor: 'var(--flash)'}, {}], 900)
    }
  }

  // Makes the elements around the visible part, and removes all other elements except the focused row.
  update() {
    const {geometry} = this
    const top = this.y - this.#margin, bottom = this.y + this.#height + this.#margin
    const first = geometry.sectionAt(Math.max(0, top)), last = geometry.sectionAt(Math.max(0, bottom))
    if (geometry.count === 0) {
      this.#rows.clear()
      this.#removeBlocks(() => true)
      for (let number = first; number <= last; number++) this.#drawBlock(number, top, bottom)
      return
    }
    const focused = this.#focusedIndex()
    const from = geometry.rowAt(top), to = geometry.rowAt(bottom)
    for (const [index, {element}] of this.#rows) {
      if ((index < from || index > to) && index !== focused) {
        element.remove()
        this.#rows.delete(index)
      }
    }
    this.#removeBlocks((number, {list}) => (number < first || number > last) && !list.firstChild)
    for (let number = first; number <= last; number++) this.#drawBlock(number, top, bottom)
    for (let index = from; index <= to; index++) this.#drawRow(index)
    if (this.#margin === MARGIN) this.source.need(from, to)
  }

  #focusedIndex() {
    if (!this.focused || !hasFocus(this.element)) return -1
    for (const [index, {row}] of this.#rows) if (row?.href === this.focused) return index
    return -1
  }

  #drawBlock(number, top, bottom) {
    const {geometry} = this
    const section = geometry.sections[number]
    const begin = geometry.tops[number], end = geometry.tops[number + 1]
    const from = Math.max(begin, Math.floor(top / BLOCK) * BLOCK)
    const to = Math.min(end, Math.ceil(bottom / BLOCK) * BLOCK)
    let block = this.#blocks.get(number)
    if (!block) {
      block = this.#makeBlock(section)
      this.#blocks.set(number, block)
      const next = [...this.#blocks.keys()].filter(other => other > number).sort((a, b) => a - b)[0]
      this.canvas.insertBefore(block.element, this.#blocks.get(next)?.element ?? null)
    }
    if (block.top !== from) {
      block.top = from
      block.element.style.top = from - this.#offset + 'px'
      for (const {element, top} of this.#rows.values())
        if (element.parentNode === block.list) element.style.top = top - from + 'px'
    }
    if (block.height !== to - from) {
      block.height = to - from
      block.element.style.height = to - from + 'px'
    }
    const height = geometry.footers[number]
    if (block.footer) Object.assign(block.footer.style, {height: height + 'px', top: end - height - from + 'px'})
  }

  #makeBlock(section) {
    const {title, footer: text} = section, {isTree} = this
    const header = title != null && el('h3.section-header', this.source.link?.(section) ?? el('bdi', title || ' '))
    const list = el('div.rows', {role: isTree ? 'none' : 'list', ariaLabel: isTree ? null : title ?? this.source.label})
    const footer = text && el('p.section-footer', {dir: 'auto', title: this.geometry.heights.isCut ? text : null}, text)
    return {element: el('div.block', {role: isTree ? 'none' : null}, header, list, footer), list, footer}
  }

  #drawRow(index) {
    const row = this.source.row(index)
    const drawn = this.#rows.get(index)
    const number = this.geometry.sectionOfRow(index)
    const block = this.#blocks.get(number)
    if (!block) return
    const element = drawn?.element ?? this.#kept?.get(row?.href)
      ?? el('div.item', {role: this.isTree ? 'none' : 'listitem'})
    const top = this.geometry.topOfRow(index), style = top - block.top + 'px'
    if (element.style.top !== style) element.style.top = style
    if (element.parentNode !== block.list) block.list.insertBefore(element, this.#elementAfter(index, block.list))
    this.#rows.set(index, {element, row, top})
    if (drawn && drawn.row === row) return
    element.dataset.href = row?.href ?? ''
    const {start, count} = this.geometry.sections[number]
    element.classList.toggle('first', index === start)
    element.classList.toggle('final', index === start + count - 1)
    if (!this.isTree) {
      element.ariaPosInSet = index + 1
      element.ariaSetSize = this.geometry.count
    }
    this.source.draw(element, row)
    if (row && index === this.#awaited) this.focus(index)
  }

  #awaited = -1

  // Whether a row that is not read yet is to get the focus.
  get isAwaiting() { return this.#awaited >= 0 }

  #elementAfter(index, list) {
    const next = this.#rows.get(index + 1)?.element
    if (next?.parentNode === list) return next
    let nearest = null, after = Infinity
    for (const [other, {element}] of this.#rows) {
      if (other > index && other < after && element.parentNode === list) [nearest, after] = [element, other]
    }
    return nearest
  }

  // Draws the rows that have arrived; with `all`, draws all rows again.
  redraw({all = false} = {}) {
    if (all) for (const drawn of this.#rows.values()) drawn.row = undefined
    if (this.geometry) this.update()
  }

  elementOf(index) { return this.#rows.get(index)?.element }

  // The index of the row that contains an element, or -1.
  indexOf(target) {
    const item = target.closest?.('.item')
    for (const [index, {element}] of this.#rows) if (element === item) return index
    return -1
  }

  #focusLink(href) {
    for (const {element, row} of this.#rows.values()) {
      if (row?.href !== href) continue
      const link = element.querySelector('.row')
      link.focus({preventScroll: true})
      return link
    }
  }

  // Scrolls to a row and gives the row the focus.
  focus(index) {
    if (this.geometry.count === 0) return this.element.focus()
    index = within(0, index, this.geometry.count - 1)
    this.reveal(index)
    const target = this.#rows.get(index)?.element.querySelector('.row[href]')
    target?.focus({preventScroll: true})
    // A row that is not read yet gets the focus when it arrives, unless another element gets the focus meanwhile.
    this.#awaited = target ? -1 : index
    return target
  }
}

// MARK: The index letters at the edge of a level: to tap, to slide along, and as a slider for the keyboard.

const LETTER_HEIGHT = 16

export class IndexStrip {
  #entries = []

  constructor(list) {
    this.list = list
    this.element = el('div', {
      class: 'index', role: 'slider', tabIndex: 0, ariaLabel: 'Section index', ariaOrientation: 'vertical',
        hidden: true,
      onpointerdown: event => {
        this.element.setPointerCapture(event.pointerId)
        this.#slide(event)
      },
      onpointermove: event => event.buttons && this.#slide(event),
      onkeydown: event => this.#key(event),
    })
    list.onresize = () => this.#draw()
  }

  update(sections) {
    this.#entries = sections.map(({index: text, start}, number) => ({text, start, number})).filter(({text}) => text)
    this.element.hidden = this.#entries.length < 2
    this.list.element.classList.toggle('has-index', !this.element.hidden)
    this.#draw()
  }

  // Draws as many letters as fit. A dot stands for the letters that are left out between two letters.
  #draw() {
    if (this.element.hidden) return
    const room = Math.max(3, Math.floor((this.list.box.height - 16) / LETTER_HEIGHT))
    const step = Math.max(1, Math.ceil((this.#entries.length * 2) / room))
    const texts = this.#entries.map(({text}) => text)
    const shown = texts.length <= room ? texts
      : texts.filter((_, place) => place % step === 0).flatMap(text => [text, '·'])
    this.element.replaceChildren(...shown.map(text => el('span', text.slice(0, 3))))
    this.element.ariaValueMin = 0
    this.element.ariaValueMax = this.#entries.length - 1
    this.mark()
  }

  mark() {
    if (this.element.hidden || !this.list.geometry) return
    const section = this.list.geometry.sectionOfRow(this.list.visible.first)
    const place = Math.max(0, this.#entries.findLastIndex(({number}) => number <= section))
    this.element.ariaValueNow = place
    this.element.ariaValueText = this.#entries[place].text
  }

  #slide(event) {
    event.preventDefault()
    const {top, height} = boxOf(this.element)
    this.#jump(Math.floor(((event.clientY - top) / height) * this.#entries.length))
  }

  #key(event) {
    const now = Number(this.element.ariaValueNow)
    const last = this.#entries.length - 1
    const place = {ArrowDown: now + 1, ArrowRight: now + 1, ArrowUp: now - 1, ArrowLeft: now - 1, Home: 0,
      End: last}[event.key]
    if (place === undefined) return
    event.preventDefault()
    this.#jump(place)
  }

  #jump(place) {
    const entry = this.#entries[within(0, place, this.#entries.length - 1)]
    this.list.reveal(entry.start, 'top')
    this.mark()
  }
}
