// A column that shows one level: its head, its rows, and the letters at its edge.

import {getJSON, Problem} from './api.js'
import {coalesced, debounced, el} from './dom.js'
import {count, plural, visible} from './format.js'
import {Geometry} from './geometry.js'
import {IndexStrip} from './index-strip.js'
import {onListKey} from './keyboard.js'
import {Level} from './level.js'
import {List} from './list.js'
import {concerns} from './live.js'
import {PaneHead} from './pane-head.js'
import {Place} from './place.js'
import {positions} from './positions.js'
import {drawRow, isTall, itemPath, markSelected} from './row.js'

// Footers of so many sections are as high as their text; where there are more, each has one line.
const MEASURED_FOOTERS = 200

export class LevelPane {
  kind = 'level'
  #isTall = false
  #controller = new AbortController()

  // `level`: one that was read already; `selected`: the path of the row that the next pane shows.
  constructor(app, place, {level, selected} = {}) {
    this.app = app
    this.place = place
    this.level = level ?? new Level(place)
    this.selected = selected ?? null
    this.marked = new Set()
    this.head = new PaneHead(this)
    this.element = el('section', {class: 'pane level', 'aria-label': place.name || 'Root'}, this.head.element)
    this.#makeList()
    this.savePosition = debounced(200, () => this.#savePosition())
  }

  #makeList() {
    this.list?.end()
    this.list?.element.remove()
    this.strip?.element.remove()
    this.list = new List(this, {isTree: this.place.isOutline, label: this.title})
    this.list.element.addEventListener('keydown', event => onListKey(event, this))
    this.list.element.addEventListener('focusin', () => this.#setTabStop())
    this.strip = new IndexStrip(this.list)
    this.body ??= el('div', {class: 'pane-body'})
    this.empty ??= el('p', {class: 'empty'})
    this.body.replaceChildren(this.list.element, this.strip.element, this.empty)
    if (!this.body.parentNode) this.element.append(this.body)
  }

  get title() {
    return this.level.head?.title ?? this.place.name
  }

  get target() {
    return this.place.level + (this.place.levelQuery ? '?' + this.place.levelQuery : '')
  }

  get href() {
    return this.place.level
  }

  // Whether this is a page of a settings bundle, of which only values can be changed.
  get isSettings() {
    return [...this.level.loaded()].some(([, row]) => /^PS/.test(row.fields.Type))
  }

  get context() {
    return {
      selected: this.selected, isTree: this.place.isOutline, marked: this.marked, canEdit: this.app.isEditing,
      mode: this.app.isEditing ? 'editing' : '',
      decorate: this.app.isEditing && !this.isSettings ? row => this.app.editor.decorate(row, this) : null, onToggle: row => this.toggle(row),
    }
  }

  // Reads the level, from where it was left or where the selected row is.
  async open() {
    const saved = positions.get(this.level.target({}))
    let start = saved?.index ?? 0
    if (this.selected !== null && !this.place.levelQuery && !saved) start = (await this.#selectedIndex()) ?? 0
    if (!this.level.head || (start > 0 && !this.level.row(start))) await this.level.open(start, this.#controller.signal)
    this.#begin = {saved, start}
    return this
  }

  #begin = null

  // Lays out what was read, once the pane is in the page and has a size.
  shown() {
    const {saved, start} = this.#begin
    this.#show()
    if (saved) this.list.y = this.#heightOf(saved)
    else if (start > 0) this.list.reveal(start, 'middle')
  }

  async #selectedIndex() {
    const place = new Place(this.selected.split('/'))
    const detail = await getJSON(place.detail, this.#controller.signal).catch(error => {
      if (!(error instanceof Problem)) throw error
    })
    return detail?.position?.index
  }

  #heightOf({href, index, dy}) {
    const present = this.level.indexOf(href)
    return this.list.geometry.topOfRow(Math.min(present < 0 ? index : present, this.level.count - 1)) - dy
  }

  // Another query of the same level. What is shown stays until the answer is there.
  async ask(place) {
    const before = this.place
    this.place = place
    this.head.update()
    if (before.levelQuery === place.levelQuery) return
    this.#controller.abort()
    this.#controller = new AbortController()
    const {signal} = this.#controller
    const level = new Level(place)
    this.element.classList.add('asking')
    try {
      await level.open(positions.get(level.target({}))?.index ?? 0, signal)
    } catch (error) {
      // Another query was asked for, or the pane was closed.
      if (signal.aborted) return
      if (!(error instanceof Problem)) throw error
      this.element.classList.remove('asking')
      this.head.refuse(error)
      return
    }
    if (this.place !== place) return
    this.element.classList.remove('asking')
    this.level.abandon()
    const wasOutline = before.isOutline, y = this.list.y
    this.level = level
    if (wasOutline !== place.isOutline) this.#makeList()
    if (wasOutline && place.isOutline) this.#replace(level, {y})
    else {
      this.#isTall = false
      this.#show()
      const saved = positions.get(level.target({}))
      this.list.y = saved ? this.#heightOf(saved) : 0
      this.app.announce(place.isSearch ? plural(level.count, 'hit', 'hits') : plural(level.count, 'row', 'rows'))
    }
  }

  #geometry(level) {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize)
    this.#isTall ||= [...level.loaded()].some(([, row]) => isTall(row))
    const hasControls = [...level.loaded()].some(([, row]) => row.control)
    const heights = {
      row: rem * (this.#isTall ? 3.75 : hasControls ? 3.25 : 2.75),
      header: 2.25 * rem,
      footer: this.#footerHeight(level.head.sections),
    }
    this.element.style.setProperty('--row-height', heights.row + 'px')
    return new Geometry(level.head.sections, heights)
  }

  #footerHeight(sections) {
    const isMeasured = sections.length <= MEASURED_FOOTERS
    const probe = el('p', {class: 'section-footer probe'})
    this.list.canvas.append(probe)
    const heights = new Map()
    const measure = text => {
      probe.textContent = isMeasured ? text : ' '
      return probe.offsetHeight
    }
    for (const {footer} of isMeasured ? sections : sections.slice(0, 1)) if (footer) heights.set(footer, measure(footer))
    const one = measure(' ')
    probe.remove()
    return ({footer}) => heights.get(footer) ?? one
  }

  #show() {
    const {head} = this.level
    this.list.show(this.#geometry(this.level))
    this.strip.update(head.sections)
    this.#describe()
  }

  #describe() {
    this.element.setAttribute('aria-label', this.title || 'Untitled')
    this.list.element.setAttribute('aria-label', `${visible(this.title) || 'Untitled'}, ${plural(this.level.count, 'row', 'rows')}`)
    this.head.update()
    const isEmpty = this.level.count === 0
    this.empty.textContent = !isEmpty ? ''
      : this.level.head.error ?? (this.place.isSearch ? 'Nothing found.' : this.place.levelQuery ? 'No rows match.' : 'No rows.')
    this.#setTabStop()
  }

  // MARK: The list's source

  row(index) {
    return this.level.row(index)
  }

  draw(item, row) {
    drawRow(item, row, this.context)
  }

  need(first, last) {
    this.level.need(first, last, isOther => {
      if (isOther) return this.refresh()
      if (!this.#isTall && [...this.level.loaded()].some(([, row]) => isTall(row))) this.#replace(this.level)
      else this.list.redraw()
      this.#setTabStop()
    })
  }

  scrolled() {
    this.#setTabStop()
    this.strip.mark()
    this.savePosition()
  }

  // One row of the list is reached by Tab: the focused, the selected, or the first that is seen.
  #setTabStop() {
    const rows = [...this.list.element.querySelectorAll('.item > .row[href]')]
    const chosen = rows.find(row => row === document.activeElement)
      ?? rows.find(row => row.matches('[aria-current], [aria-selected=true]'))
      ?? rows.find(row => row.getBoundingClientRect().top >= this.list.element.getBoundingClientRect().top) ?? rows[0]
    for (const row of rows) row.tabIndex = row === chosen ? 0 : -1
    this.list.element.tabIndex = rows.length ? -1 : 0
  }

  // MARK: Live

  concernedBy(entry) {
    return concerns(entry, this.href, {below: this.place.isSearch || this.place.isOutline})
  }

  refresh = coalesced(async () => {
    if (!this.level.head) return
    const level = this.level
    const anchors = this.#anchors(), {first, last} = this.list.visible
    let next
    try {
      // A row that someone moved far away leads to where the others are not.
      for (const anchor of [anchors[0], anchors.at(-1), anchors[anchors.length >> 1]]) {
        next = await level.refreshed(anchor, last - first + 20, this.#controller.signal)
        if (anchors.filter(({href}) => next.indexOf(href) >= 0).length * 2 >= anchors.length) break
      }
    } catch (error) {
      if (!(error instanceof Problem)) return
      if (error.status === 404) this.app.lost(this)
      return
    }
    if (this.level !== level) return
    this.level.abandon()
    this.#replace(next)
    this.app.refreshed(this)
  })

  // The rows that are seen, with their distance from the top: the one that has the focus first.
  #anchors() {
    const {first, last} = this.list.visible
    const anchors = []
    for (let index = first; index <= last; index++) {
      const row = this.level.row(index)
      if (row) anchors[row.href === this.list.focused ? 'unshift' : 'push']({index, href: row.href, dy: this.list.geometry.topOfRow(index) - this.list.y})
    }
    return anchors
  }

  // Shows a newer state. Most rows that are still there stay where they are on the screen.
  #replace(level, {y} = {}) {
    const anchors = this.#anchors(), isAtTop = this.list.y < 1
    this.level = level
    const geometry = this.#geometry(level)
    const anchor = this.#steadiest(anchors, level)
    y ??= isAtTop || !anchor ? this.list.y : geometry.topOfRow(level.indexOf(anchor.href)) - anchor.dy
    this.list.replace(geometry, y, {isAnimated: true})
    this.strip.update(level.head.sections)
    this.#describe()
  }

  // The row that stays where it is: the one with the focus, else one that moved as far as most.
  #steadiest(anchors, level) {
    const found = anchors.filter(({href}) => level.indexOf(href) >= 0)
    if (found[0]?.href === this.list.focused) return found[0]
    return found.sort((a, b) => level.indexOf(a.href) - a.index - (level.indexOf(b.href) - b.index))[found.length >> 1]
  }

  #savePosition() {
    const anchor = this.list.geometry && this.#anchors()[0]
    if (anchor) positions.set(this.level.target({}), anchor)
  }

  // MARK: Selection and outline

  select(path) {
    this.selected = path
    for (const item of this.list.element.querySelectorAll('.item')) {
      if (item.dataset.href) markSelected(item, {href: item.dataset.href}, this.context)
    }
    this.#setTabStop()
  }

  // Opens or closes a row of the outline in place; the address tells which are open.
  toggle(row) {
    const base = this.place.segments.length
    const path = itemPath(row.href).split('/').slice(base).join('/')
    const open = (this.place.value('expand') ?? '').split(',').filter(Boolean)
    const rest = open.filter(each => each !== path && !each.startsWith(path + '/'))
    const expand = row.expanded ? rest : [...open, path]
    this.app.go(this.place.setting({depth: '1', expand: expand.length ? expand.join(',') : null}), {replace: true})
  }

  get summary() {
    return count(this.level.count)
  }

  focusRow(index) {
    return this.list.focus(index)
  }

  redrawAll() {
    this.list.redraw({all: true})
    this.head.update()
    this.#setTabStop()
  }

  end() {
    this.#savePosition()
    this.#controller.abort()
    this.level.abandon()
    this.list.end()
    this.element.remove()
  }
}
