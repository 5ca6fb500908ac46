// A column that shows one level: its head, its rows, and its keys.

import {rem, widthEdge, windowWidth} from './columns.js'
import {concerns} from './drilldown.js'
import {asset, boxOf, coalesced, count, debounced, el, foldCase, hasFocus, icon, isPlainKey, isRightToLeft, isSetting,
  on, plural, skeleton, stop, visible} from './elements.js'
import {LevelHead} from './level-head.js'
import {Level, positionOf} from './level.js'
import {Geometry, IndexStrip, List, MEASURED_FOOTERS} from './list.js'
import {itemPath, Place, positions} from './place.js'
import {drawRow, isNumeric, isTall, markSelected, sharedNames} from './row.js'
import {getJSON} from './service.js'

// The least widths in rem of the first column of a table, and of the others.
const FIRST_COLUMN = 14, COLUMN = 8
// The least width of a window in pixels in which a table is beside another level.
const LARGE = 1280

export class LevelPane {
  #isTall = false
  #hasImages = false
  #controller = new AbortController()

  // The marks of rows by the paths of their items, as in marks.js, and the row that was marked last.
  marked = new Map()
  lastMark = null
  // Whether the rows are not those of the address: these are being read, or the service has refused them.
  isAsking = false
  #body = el('div.pane-body')
  #empty = el('p.empty')
  isRead = false
  // The names of the fields that the rows show in columns, and of those that are numbers.
  columns = []
  numeric = new Set()
  // The styles of columns that were fitted to what they show, by name.
  fitted = new Map()
  /** @type {Promise<any> | undefined} */
  opened

  // `selected`: the path of the row whose item the next column shows. `level`: the level, if it was read already.
  // `known`: the row that leads here.
  constructor(app, place, selected, {level = new Level(place), known = undefined} = {}) {
    this.app = app
    this.place = place
    this.level = level
    this.known = known
    this.selected = selected
    this.head = new LevelHead(this)
    this.element = el('section.pane.level', {ariaLabel: this.label}, this.head.spine, this.head.element, this.#body,
      widthEdge(this))
    this.#makeList()
    this.#body.append(skeleton())
  }

  #makeList() {
    this.list?.end()
    this.list = new List(this, this.place.isOutline)
    on(this.list.element, 'keydown', event => isPlainKey(event) && act(event.key, this) && stop(event))
    on(this.list.element, 'focusin', () => this.#setTabStop())
    this.strip = new IndexStrip(this.list)
    this.#body.replaceChildren(this.list.element, this.strip.element, this.#empty)
  }

  get title() { return this.app.titled(this.place, this.level.head?.title ?? this.known?.title) }
  get heading() { return this.head.heading }

  // How many rows the level has, as far as it is known.
  get count() { return this.level.head ? this.level.count : this.known?.count }

  // A column that is not read yet cannot be asked for other rows.
  shows({part, place}) {
    return part !== 'detail' && place.path === this.place.path
      && (this.isRead || place.levelQuery === this.place.levelQuery)
  }

  adjust({place, selected}) {
    this.select(selected)
    if (this.isRead) this.asked = this.ask(place)
    else this.place = place
  }

  print(isPrinting) {
    if (this.isRead) this.list.print(isPrinting)
  }

  get target() { return this.place.target }

  // Whether this is a page of a settings bundle, in which only values can be changed.
  get isSettings() { return [...this.level.loaded()].some(([, row]) => isSetting(row)) }

  get context() {
    const {app, place, level, selected, marked} = this, {isEditing, editor} = app
    return {
      app, place, selected, marked, isEditing, isTree: place.isOutline, hasImages: this.#hasImages,
      record: level.record, columns: this.columns, numeric: this.numeric, fitted: this.fitted,
      onToggle: row => this.toggle(row), refresh: this.refresh,
      isCut: isEditing ? path => editor.isCut(path) : null,
      decorate: isEditing && !this.isSettings ? row => editor.decorate(row, this) : null,
    }
  }

  // Reads the level around its last scroll position, or around the selected row.
  async open() {
    const saved = positions.get(this.target), {signal} = this.#controller
    let start = saved?.index ?? 0
    if (this.selected !== null && !this.place.levelQuery && !saved)
      start = await positionOf(new Place(this.selected.split('/')), signal) ?? 0
    if (!this.level.head || (start > 0 && !this.level.record && !this.level.row(start)))
      await this.level.open(start, signal)
    this.#begin = {saved, start: this.level.record ? 0 : start}
  }

  #begin = null

  // Lays out the level when it has been read.
  shown() {
    const {saved, start} = this.#begin
    this.#body.querySelector('.skeleton')?.remove()
    this.#show()
    if (saved) this.list.y = this.#heightOf(saved)
    else if (start > 0) this.list.reveal(start, 'middle')
  }

  #heightOf({href, index, dy}) {
    const present = this.level.indexOf(href)
    return this.list.geometry.topOfRow(Math.min(present < 0 ? index : present, this.level.count - 1)) - dy
  }

  // Asks for the same level with another query. The rows stay until the answer has arrived.
  async ask(place) {
    const before = this.place, isSame = before.levelQuery === place.levelQuery
    this.place = place
    this.isAsking ||= !isSame
    this.head.update()
    if (isSame && before.value('columns') === place.value('columns')) return
    this.#controller.abort()
    this.#controller = new AbortController()
    const {signal} = this.#controller, level = new Level(place), saved = positions.get(place.target),
      {changes} = this.app
    this.element.classList.add('asking')
    try {
      await level.open(saved?.index ?? 0, signal)
    } catch (error) {
      // Another query was requested, or the pane was closed.
      if (signal.aborted) return
      this.head.refuse(error)
      return
    } finally {
      if (!signal.aborted) this.element.classList.remove('asking')
    }
    if (signal.aborted) return
    this.level.abandon()
    const shown = this.level.place, wasOutline = shown.isOutline, y = this.list.y
    this.level = level
    this.isAsking = false
    // Rows that are not shown any more are not marked.
    if (wasOutline !== place.isOutline || ['q', 'in', 'where'].some(name =>
      String(shown.values(name)) !== String(place.values(name)))) this.marked.clear()
    if (wasOutline !== place.isOutline) this.#makeList()
    if (wasOutline && place.isOutline) this.#replace(level, {y})
    else {
      this.#isTall = this.#hasImages = false
      this.#show()
      this.list.y = saved ? this.#heightOf(saved) : 0
      this.app.announce(plural(level.count, place.isSearch ? 'hit' : 'row'))
    }
    // Changes that arrived during the request may be missing from the answer.
    if (changes !== this.app.changes) this.refresh()
  }

  // What the geometry depends on besides the rows: the size of the font, the columns, and with footers the width.
  get #measure() {
    const hasFooters = this.level.head.sections.some(({footer}) => footer)
    return [rem, this.#chosenColumns(), hasFooters && this.list.box.width].join()
  }

  #measured = ''

  resized() {
    this.element.style.setProperty('--bar', this.list.box.bar + 'px')
    if (this.#measured === this.#measure) this.list.update()
    else this.#replace(this.level)
  }

  #geometry(level) {
    const rows = [...level.loaded()].map(([, row]) => row), hasControls = rows.some(row => row.control),
      columns = this.#chosenColumns()
    if (Boolean(this.columns.length) !== Boolean(columns.length)) this.#isTall = false
    this.#measured = this.#measure
    this.columns = columns
    this.numeric = new Set(columns.filter(name => isNumeric(rows.slice(0, 100), name)))
    this.#isTall ||= Boolean(level.record) || rows.some(row => isTall(row, this.context))
    this.#hasImages ||= rows.some(({fields}) => asset(fields.Image))
    const kinds = {settings: hasControls, table: columns.length, pictured: this.#hasImages, related: level.record}
    for (const [kind, isSo] of Object.entries(kinds)) this.element.classList.toggle(kind, Boolean(isSo))
    const {sections, sectionCount = sections.length} = level.head, isCut = sectionCount > MEASURED_FOOTERS
    const heights = {
      row: rem * (this.#isTall ? 3.75 : hasControls ? 3.25 : 2.75),
      header: (level.record ? 2.75 : 2.25) * rem,
      gap: hasControls ? rem : 0,
      footer: this.#footerHeight(isCut ? [] : sections),
      isCut,
    }
    this.element.style.setProperty('--row-height', heights.row + 'px')
    return new Geometry(sections, heights)
  }

  // The columns are those of the address. Otherwise, the values that the first rows share are columns, as many as fit.
  #chosenColumns() {
    const {app, place, level, list} = this, room = Math.floor((list.box.width / rem - FIRST_COLUMN) / COLUMN)
    if (place.value('columns') !== null) return place.names('columns')
    // On a wide screen, other columns make room for a table. Beside another level, it stays a table in a large window.
    const isRoomy = app.isWide ? this === app.end || windowWidth >= LARGE : room > 1
    if (!isRoomy || place.isSearch || place.isOutline || level.record) return []
    const names = sharedNames([...level.loaded()].slice(0, 100).map(([, row]) => row)), most = Math.max(1, room)
    // The field by which the rows are sorted is shown in any case.
    const sorting = names.slice(most).find(name => place.sortFields.includes(name))
    return sorting ? [...names.slice(0, most - 1), sorting] : names.slice(0, most)
  }

  // Makes a column of a table as wide as what it shows.
  fitColumn(name) {
    const index = this.columns.indexOf(name)
    const cells = [...this.element.querySelectorAll('.columns, .row[href]')].map(line =>
      line.querySelectorAll('.cell')[line.matches('.row') ? index : index + 1])
    for (const {style} of cells) style.flex = 'none'
    this.fitted.set(name, `flex: 0 0 ${Math.ceil(Math.max(...cells.map(cell => boxOf(cell).width)))}px`)
    this.redrawAll()
  }

  #footerHeight(sections) {
    if (!this.level.head.sections.some(({footer}) => footer)) return () => 0
    const texts = ['x', ...sections.map(({footer}) => footer).filter(Boolean)]
    const probes = texts.map(text => el('p.section-footer.probe', text))
    this.list.canvas.append(...probes)
    const heights = new Map(probes.map(({offsetHeight}, index) => [texts[index], offsetHeight]))
    for (const probe of probes) probe.remove()
    return ({footer}) => heights.get(footer) ?? heights.get('x')
  }

  #show() {
    this.list.show(this.#geometry(this.level))
    this.#describe()
    this.divided = this.#divide(this.level)
  }

  // If the level has many sections, all sections are read after the first rows are drawn.
  async #divide(level) {
    const isDivided = await level.divide(this.#controller.signal).catch(() => false)
    if (isDivided && this.level === level) this.#replace(level)
  }

  #describe() {
    const {level: {count, head}, place} = this
    this.strip.update(head.sections)
    this.element.ariaLabel = this.list.element.ariaLabel = this.label
    this.head.update()
    const isFilled = count || head.sections.some(({title, footer}) => title != null || footer)
    this.#empty.textContent = isFilled ? ''
      : head.error ?? (place.isSearch ? 'Nothing found.' : place.levelQuery ? 'No rows match.' : 'No rows.')
    this.#setTabStop()
    this.app.fit()
  }

  get label() { return `${visible(this.title) || 'Untitled'}, ${plural(this.count ?? 0, 'row')}` }
  row(index) { return this.level.row(index) }
  draw(item, row) { drawRow(item, row, this.context) }

  need(first, last) {
    this.level.need(first, last, isOther => {
      if (isOther) return this.refresh()
      const rows = [...this.level.loaded()].map(([, row]) => row)
      if (!this.#isTall && rows.some(row => isTall(row, this.context))) this.#replace(this.level)
      else {
        const hadImages = this.#hasImages
        this.#hasImages ||= rows.some(({fields}) => asset(fields.Image))
        this.list.redraw({all: hadImages !== this.#hasImages})
      }
      this.#setTabStop()
    })
  }

  scrolled() {
    this.#setTabStop()
    // A head that has become smaller does not scroll the rows back to where it becomes larger.
    this.element.classList.toggle('scrolled', this.list.y > (this.element.matches('.scrolled') ? 4 : 64))
    this.strip.mark()
    this.savePosition()
  }

  // Tab reaches only one row of the list: the focused row, otherwise the selected row, otherwise the first visible row.
  #setTabStop() {
    const rows = [...this.list.element.querySelectorAll('.item > .row[href]')]
    const chosen = rows.find(row => row === document.activeElement)
      ?? rows.find(row => row.matches('[aria-current], [aria-selected=true]'))
        ?? this.list.elementOf(this.list.visible?.first)?.querySelector('.row') ?? rows[0]
    for (const row of rows) row.tabIndex = row === chosen ? 0 : -1
    this.list.element.tabIndex = rows.length ? -1 : 0
  }

  concernedBy(entry) {
    const {place, level} = this
    return concerns(entry, place.level, {below: place.isSearch || place.isOutline || Boolean(level.record)})
  }

  // What the head of a section shows that is a list: its title and its number of rows, as a link.
  link({title, href, total}) {
    const ariaCurrent = href && itemPath(href) === this.selected ? 'true' : null
    return href && el('a', {href: this.place.toLink(href).address, ariaCurrent}, el('bdi', title),
      el('span.count', count(total)), icon('forward'))
  }

  refresh = coalesced(async () => {
    const {level} = this
    const anchors = this.#anchors(), {first, last} = this.list.visible
    let next
    try {
      // If someone moved the first row far away, the rows around it are not the visible rows: try another row.
      for (const anchor of [anchors[0], anchors.at(-1), anchors[anchors.length >> 1]]) {
        next = await level.refreshed(anchor, last - first + 20, this.#controller.signal)
        if (anchors.filter(({href}) => next.indexOf(href) >= 0).length * 2 >= anchors.length) break
      }
    } catch (error) {
      if (error.status === 404) this.app.lost(this)
      return
    }
    if (this.level !== level) return
    level.abandon()
    this.#replace(next)
    this.app.showPath()
  })

  // The visible rows, with their distances from the top of the visible part. The focused row comes first.
  #anchors() {
    const {first, last} = this.list.visible
    const anchors = []
    for (let index = first; index <= last; index++) {
      const href = this.level.row(index)?.href
      if (href) anchors[href === this.list.focused ? 'unshift' : 'push']({index, href,
        dy: this.list.geometry.topOfRow(index) - this.list.y})
    }
    return anchors
  }

  /**
   * Shows a newer state of the level. Most of the remaining rows keep their positions on the screen.
   * @param {Level} level
   * @param {{y?: number}} at
   */
  #replace(level, {y} = {}) {
    const anchors = this.#anchors(), isAtTop = this.list.y < 1
    this.level = level
    const geometry = this.#geometry(level)
    const anchor = this.#steadiest(anchors, level)
    y ??= isAtTop || !anchor ? this.list.y : geometry.topOfRow(level.indexOf(anchor.href)) - anchor.dy
    this.list.replace(geometry, y)
    this.#describe()
  }

  // The row that keeps its position: the focused row, otherwise the one whose index changed by the median.
  #steadiest(anchors, level) {
    const found = anchors.filter(({href}) => level.indexOf(href) >= 0)
    if (found[0]?.href === this.list.focused) return found[0]
    return found.sort((a, b) => level.indexOf(a.href) - a.index - (level.indexOf(b.href) - b.index))[found.length >> 1]
  }

  savePosition = debounced(200, () => this.#savePosition())

  #savePosition() {
    const anchor = this.isRead && this.#anchors()[0]
    if (anchor) positions.set(this.level.place.target, anchor)
  }

  select(path) {
    this.selected = path
    for (const item of this.list.element.querySelectorAll('.item')) {
      if (item.dataset.href) markSelected(item, item.dataset.href, this.context)
    }
    for (const head of this.list.element.querySelectorAll('.section-header a'))
      head.ariaCurrent = Place.of(head).path === path ? 'true' : null
    this.#setTabStop()
  }

  // Opens or closes a row of the outline in place. The address lists the open rows.
  toggle(row) {
    const path = itemPath(row.href).split('/').slice(this.place.segments.length).join('/')
    const open = (this.place.value('expand') ?? '').split(',').filter(Boolean)
    const rest = open.filter(each => each !== path && !each.startsWith(path + '/'))
    for (const each of row.expanded ? this.marked.keys() : [])
      if (each.startsWith(itemPath(row.href) + '/')) this.marked.delete(each)
    const expand = row.expanded ? rest : [...open, path]
    this.app.go(this.place.setting({depth: '1', expand: expand.length ? expand.join(',') : null}), {replace: true})
  }

  focusRow(index) { return this.list.focus(index) }

  // Shows the item of the row that has the focus, when the arrow keys have rested on it for a moment.
  browse = debounced(120, () => {
    const {app, list, level, selected} = this
    if (list.isAwaiting) return this.browse()
    const row = level.row(list.indexOf(document.activeElement))
    if (!row || row.control || app.isNarrow || itemPath(row.href) === selected) return
    app.follow(row, this, {isBrowsing: true})
  })

  // The index of an item's own row, or of the row that leads to the item; -1 if the level has neither of these rows.
  async indexTowards(item) {
    await this.opened
    await this.asked
    const {place, level} = this, {length} = place.segments, above = item.prefix(length + 1)
    if (item.segments.length <= length || item.prefix(length).path !== place.path) return -1
    for (const {path} of [item, above, item.prefix(length + 2)]) {
      for (const [index, {href}] of level.loaded()) if (itemPath(href) === path) return index
    }
    return place.levelQuery || level.record ? -1 : await positionOf(above) ?? -1
  }

  redrawAll() {
    this.list.redraw({all: true})
    this.head.update()
    this.#setTabStop()
  }

  end() {
    this.browse.cancel()
    this.#savePosition()
    this.#controller.abort()
    this.level.abandon()
    this.list.end()
    this.element.remove()
  }
}

// MARK: The keys of a list: arrows, Home, End, Page Up and Down, typing ahead, and the keys that go into a row or up.

let typed = '', typedAt = 0

// Handles a key; returns whether the key has a meaning here.
function act(key, pane) {
  const {app, level, list} = pane, {first, last} = list.visible ?? {first: 0, last: 0}
  const index = list.indexOf(document.activeElement), row = level.row(index)
  const [into, out] = isRightToLeft(list.element) ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft']
  const page = Math.max(1, last - first - 1)
  const steps = {ArrowDown: index + 1, ArrowUp: index - 1, PageDown: index + page, PageUp: index - page, Home: 0,
    End: level.count - 1}
  if (key in steps) goTo(pane, steps[key])
  else if (key === into && row) goInto(pane, row, index)
  else if (key === out) goOut(pane, row)
  else if (key === 'Enter' && row) follow(pane, row)
  else if (key === 'Escape') app.goUp()
  else if (key.length === 1 && key !== '/' && (key !== ' ' || typed)) typeAhead(pane, index, key)
  else return false
  return true
}

function goTo(pane, index) {
  if (!pane.isRead) return
  pane.focusRow(index)
  pane.browse()
}

function follow(pane, row, isBrowsing = false) {
  pane.browse.cancel()
  pane.app.follow(row, pane, {byKey: true, isBrowsing})
}

function goInto(pane, row, index) {
  if (!pane.place.isOutline || row.leaf) follow(pane, row, true)
  else if (row.expanded) goTo(pane, index + 1)
  else pane.toggle(row)
}

function goOut(pane, row) {
  if (pane.place.isOutline && row?.expanded) return pane.toggle(row)
  const above = pane.place.isOutline && row && Place.ofLink(row.href).parent.path
  const parent = [...pane.level.loaded()].find(([, {href}]) => itemPath(href) === above)
  if (parent) return goTo(pane, parent[0])
  pane.browse.cancel()
  pane.app.goOut(pane)
}

// Goes to the next row whose title begins with the typed letters. If no loaded row has such a title, asks the service,
// unless the level has a query or at most 100 rows.
async function typeAhead(pane, index, key) {
  const now = performance.now()
  typed = now - typedAt < 900 ? typed + key : key
  typedAt = now
  const wanted = foldCase(typed)
  const rows = [...pane.level.loaded()].filter(([, {title}]) => foldCase(title).startsWith(wanted))
  const from = typed.length > 1 ? index : index + 1
  const hit = rows.find(([other]) => other >= from) ?? rows[0]
  if (hit) return goTo(pane, hit[0])
  if (pane.level.count <= 100 || pane.place.levelQuery) return
  const found = await getJSON(pane.place.asking({where: 'Title~' + typed, limit: 100, fields: ''}))
  const row = found.rows.find(({title}) => foldCase(title).startsWith(wanted))
  const position = row && await positionOf(Place.ofLink(row.href))
  // Goes to the row only if the user has not typed more, or done something else, meanwhile.
  if (position !== undefined && typedAt === now && hasFocus(pane.list.element)) goTo(pane, position)
}
