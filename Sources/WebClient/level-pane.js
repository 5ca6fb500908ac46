// A column that shows one level: its head, its rows, and its keys.

import {boxOf, coalesced, count, debounced, el, icon, iconButton, on, oneLine, plural, stop, visible} from './elements.js'
import {Level} from './level.js'
import {Geometry, IndexStrip, List} from './list.js'
import {openMoreMenu, openViewMenu} from './menus.js'
import {Place, positions} from './place.js'
import {drawRow, isTall, itemPath, markSelected} from './row.js'
import {concerns, getJSON} from './service.js'

// MARK: A column that shows one level: its head, its rows, and the letters at its edge.

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
    this.element = el('section.pane.level', {'aria-label': place.name || 'Root'}, this.head.element)
    this.#makeList()
    this.savePosition = debounced(200, () => this.#savePosition())
  }

  #makeList() {
    this.list?.end()
    this.list?.element.remove()
    this.strip?.element.remove()
    this.list = new List(this, {isTree: this.place.isOutline, label: this.title})
    on(this.list.element, 'keydown', event => onListKey(event, this))
    on(this.list.element, 'focusin', () => this.#setTabStop())
    this.strip = new IndexStrip(this.list)
    this.body ??= el('div.pane-body')
    this.empty ??= el('p.empty')
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
      if (!error.status) throw error
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
      if (!error.status) throw error
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
    const probe = el('p.section-footer.probe')
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
      ?? rows.find(row => boxOf(row).top >= boxOf(this.list.element).top) ?? rows[0]
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
      if (!error.status) return
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

// MARK: The head of a level's column: its title, its tools, and the search field.

class PaneHead {
  constructor(pane) {
    this.pane = pane
    this.heading = el('h2', {tabindex: '-1'}, el('bdi'), el('small'))
    this.tools = el('div.tools')
    this.field = el('input', {
      type: 'search', placeholder: 'Search', 'aria-label': 'Search here and below', autocomplete: 'off', spellcheck: 'false',
      enterkeyhint: 'search', oninput: () => this.#search(), onkeydown: event => this.#key(event),
    })
    this.searchBox = el('div.search', {role: 'search', hidden: true}, icon('search'), this.field,
      iconButton('close', 'End search', () => this.endSearch()))
    this.problem = el('p.problem', {role: 'alert', hidden: true})
    this.extra = el('div.head-extra')
    this.element = el('header.pane-head',
      el('div.head-line', backLink(pane), this.heading, this.tools), this.searchBox, this.extra, this.problem)
    this.#makeTools()
    this.searchLater = debounced(120, () => this.#ask())
    this.update()
  }

  #makeTools() {
    const {pane} = this
    this.searchButton = iconButton('search', 'Search', () => this.beginSearch())
    this.viewButton = iconButton('view', 'Sort, group, filter', () => openViewMenu(pane, this.viewButton))
    this.infoButton = iconButton('info', 'Detail', () => this.#toggleDetail())
    this.moreButton = iconButton('more', 'More', () => openMoreMenu(pane, this.moreButton))
    for (const button of [this.viewButton, this.moreButton]) button.setAttribute('aria-haspopup', 'dialog')
    this.tools.append(this.searchButton, this.viewButton, this.infoButton, this.moreButton)
  }

  update() {
    const {pane} = this, {place} = pane
    const [title, small] = this.heading.children
    title.textContent = oneLine(pane.title ?? '').slice(0, 300) || ' '
    small.textContent = pane.level?.head ? count(pane.level.count) : ''
    const query = place.value('q')
    if (document.activeElement !== this.field) {
      this.field.value = query ?? ''
      this.searchBox.hidden = query === null
    }
    const isChanged = ['sort', 'group', 'where', 'depth', 'expand'].some(name => place.value(name) !== null)
    this.viewButton.classList.toggle('active', isChanged)
    this.infoButton.setAttribute('aria-pressed', String(place.value('show') === ''))
    this.problem.hidden = true
    pane.app.editor?.updateHead(this)
  }

  refuse(problem) {
    this.problem.textContent = problem.message
    this.problem.hidden = false
  }

  #toggleDetail() {
    const {place} = this.pane
    this.pane.app.go(place.showing(place.value('show') === '' ? null : place))
  }

  beginSearch() {
    this.searchBox.hidden = false
    this.field.focus()
    this.field.select()
  }

  endSearch() {
    this.searchLater.cancel()
    this.field.value = ''
    this.searchBox.hidden = true
    this.searchButton.focus()
    this.#ask()
  }

  #search() {
    this.searchLater()
  }

  // A search begins a new step of the browser's history; more letters change that step.
  #ask() {
    const {place, app} = this.pane
    const text = this.field.value.trim() ? this.field.value : null
    if (text === place.value('q')) return
    const isMore = place.isSearch && text !== null
    app.go(text === null ? place.setting({q: null, show: null}) : place.setting({q: text, show: null, depth: null, expand: null}),
      {replace: isMore || text === null})
  }

  #key(event) {
    event.stopPropagation()
    if (event.key === 'Escape') {
      event.preventDefault()
      this.endSearch()
    } else if (event.key === 'ArrowDown' || event.key === 'Enter') {
      event.preventDefault()
      this.searchLater.cancel()
      this.#ask()
      this.pane.focusRow(0)
    }
  }
}

// On narrow screens: the way to the level above.
function backLink(pane) {
  const parent = pane.place.shownFrom ?? pane.place.parent
  if (!parent) return null
  return el('a.back.tool', {href: parent.address, 'aria-label': 'Back'}, icon('back'))
}

// MARK: The keys of a list: arrows, Home, End, Page Up and Down, typing ahead, and the ways in and out.

const foldCase = text => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

let typed = '', typedAt = 0

function onListKey(event, pane) {
  if (event.target.closest('input, select, textarea') || event.ctrlKey || event.metaKey || event.altKey) return
  const index = pane.list.indexOf(event.target)
  const row = index >= 0 ? pane.level.row(index) : null
  if (act(event.key, pane, index, row)) {
    stop(event)
  }
}

// Whether the key meant something here.
function act(key, pane, index, row) {
  const isRightToLeft = getComputedStyle(pane.list.element).direction === 'rtl'
  const [into, out] = isRightToLeft ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft']
  const page = Math.max(1, pane.list.visible.last - pane.list.visible.first - 1)
  const steps = {ArrowDown: index + 1, ArrowUp: index - 1, PageDown: index + page, PageUp: index - page, Home: 0, End: pane.level.count - 1}
  if (key in steps) return Boolean(pane.focusRow(steps[key])) || true
  if (key === into && row) return goInto(pane, row)
  if (key === out) return goOut(pane, index, row)
  if (key === 'Enter' && row) return pane.app.follow(row, pane, {byKey: true}), true
  if (key === 'Escape') return pane.app.goUp(pane), true
  if (key.length === 1 && key !== '/' && (key !== ' ' || typed)) return typeAhead(pane, index, key), true
  return false
}

function goInto(pane, row) {
  if (pane.place.isOutline && !row.leaf && !row.expanded) pane.toggle(row)
  else if (pane.place.isOutline && !row.leaf) pane.focusRow(pane.level.indexOf(row.href) + 1)
  else pane.app.follow(row, pane, {byKey: true})
  return true
}

function goOut(pane, index, row) {
  if (!pane.place.isOutline || !row) return pane.app.goUp(pane), true
  if (row.expanded) return pane.toggle(row), true
  const parent = itemPath(row.href).split('/').slice(0, -1).join('/')
  for (const [other, {href}] of pane.level.loaded()) if (itemPath(href) === parent) return pane.focusRow(other), true
  return pane.app.goUp(pane), true
}

// Goes to the next row that begins with what is typed; asks the service where not all rows are here.
async function typeAhead(pane, index, key) {
  const now = performance.now()
  typed = now - typedAt < 900 ? typed + key : key
  typedAt = now
  const wanted = foldCase(typed)
  const rows = [...pane.level.loaded()].filter(([, {title}]) => foldCase(title).startsWith(wanted))
  const from = typed.length > 1 ? index : index + 1
  const hit = rows.find(([other]) => other >= from) ?? rows[0]
  if (hit) return pane.focusRow(hit[0])
  if (pane.level.count <= 100 || pane.place.levelQuery) return
  const query = new URLSearchParams({where: 'Title~' + typed, limit: '100', fields: ''})
  const {rows: found} = await getJSON(`${pane.place.level}?${query}`).catch(() => ({rows: []}))
  const row = found.find(({title}) => foldCase(title).startsWith(wanted))
  if (!row) return
  const {position} = await getJSON(Place.ofLink(row.href).detail)
  pane.focusRow(position.index)
}
