// The columns for an address: one for each level of the path; on narrow screens, only the last column. A column is a
// `Pane`. A `Wanted` describes a column that an address needs (types.d.ts).

import {restoreWidth} from './columns.js'
import {base, debounced, el, isPlainKey, isRightToLeft, on, showWhole} from './elements.js'
import {LevelPane} from './level-pane.js'
import {Level} from './level.js'
import {watchState} from './messages.js'
import {Place, positions, showCrumbs} from './place.js'
import {getJSON, isReadingClosed, live, token} from './service.js'

// The maximum number of columns in the page. The path in the header leads to the levels above these columns.
const COLUMNS = 6

// The module for details is loaded when the first level has been shown, or immediately if the address shows a detail.
const details = () => import('./detail-pane.js')

class App {
  /** @type {?import('./editor.js').Editor} Null until editing begins for the first time. */
  editor = null
  /** @type {any} The search field in the header. */
  #everywhere = document.querySelector('.everywhere')
  #main = document.querySelector('main')
  // The panel beside the last level, if there is room for it.
  #about = el('div.about')
  #narrow = matchMedia('(max-width: 47.99rem)')
  #rendering = new AbortController()
  // The number of changes so far. If this number grows during a request, the answer may be older than the change.
  changes = 0
  /** @type {import('./types').Pane[]} */
  panes = []
  isEditable = false
  isEditing = false
  // Whether columns of the present address are being read.
  isReading = false

  async begin() {
    history.scrollRestoration = 'manual'
    addEventListener('popstate', () => this.render(Place.of(location), {focus: 'lost'}))
    addEventListener('click', event => this.#clicked(event))
    addEventListener('keydown', event => this.#key(event))
    addEventListener('mouseover', showWhole)
    addEventListener('resize', () => this.#showAbout())
    on(this.#everywhere, 'input', debounced(120, () => this.#searchEverywhere()))
    on(this.#everywhere, 'keydown', event => event.stopPropagation())
    for (const type of ['before', 'after']) {
      on(window, type + 'print', () => {
        this.panes.at(-1).print?.(type === 'before')
      })
    }
    on(this.#narrow, 'change', () => this.render(this.place))
    on(live, 'change', ({detail}) => this.#changed(pane => pane.concernedBy(detail)))
    on(live, 'reset', () => this.#changed(() => true))
    const rendered = this.render(Place.of(location)), isEditable = async () => (await getJSON('/')).editable
    const isAllowed = await isEditable()
    // If reading needs a token and the page lacks one, the answer does not contain `editable`. It is requested again
    // when the user has entered a token, which may be a token for reading only.
    this.isEditable = isAllowed ?? (await rendered, await isEditable())
    for (const pane of this.panes) pane.head?.update()
    if (token.value && isAllowed) this.setEditing(true, true)
  }

  get isNarrow() {
    return this.#narrow.matches
  }

  // The last column that shows a level; without a level, the last column.
  get end() {
    return this.panes.findLast(({level}) => level) ?? this.panes.at(-1)
  }

  // MARK: Going

  /**
   * @param {Place} place
   * @param {{replace?: any, leaf?: boolean, focus?: any}} how
   */
  go(place, {replace, leaf, focus} = {}) {
    if (place.address !== location.pathname + location.search) {
      positions.store()
      if (replace) history.replaceState(history.state, '', place.address)
      else history.pushState({from: this.place.address}, '', place.address)
    }
    this.render(place, {leaf, focus})
  }

  // Goes to the place of a row.
  follow(row, pane, {byKey = false} = {}) {
    const place = pane.place.toLink(row.href)
    const staysBeside = !this.isNarrow && (pane.place.isOutline || (pane.place.isSearch && row.leaf))
    if (staysBeside) this.go(pane.place.showing(place))
    else this.go(place, {leaf: row.leaf, focus: byKey ? 'last' : this.isNarrow && 'heading'})
  }

  goUp({home, place}) {
    const up = home ?? place.shown ? (home ?? place).showing(null)
      : place.isSearch || place.isOutline ? place.setting({q: null, depth: null, expand: null}) : place.parent
    if (!up) return
    if (history.state?.from === up.address && this.isNarrow) history.back()
    else this.go(up, {focus: 'selected'})
  }

  #clicked(event) {
    const link = event.target.closest('a[href]')
    if (!link || event.defaultPrevented || event.shiftKey || !isPlainKey(event)) return
    const path = link.pathname.startsWith(base) ? link.pathname.slice(base.length) : ''
    if (link.target || link.origin !== location.origin || !/^\/($|browse(\/|$))/.test(path)) return
    event.preventDefault()
    const pane = this.panes.find(({element}) => element.contains(link))
    const row = link.matches('.row') && pane.level.row(pane.list.indexOf(link))
    if (row) this.follow(row, pane)
    else if (link.matches('.back') && history.state?.from === link.pathname + link.search) history.back()
    else this.go(Place.of(link), {replace: link.matches('.detail .tool:not(.back)'), focus: 'lost'})
  }

  #key(event) {
    if (!['/', '?'].includes(event.key) || !isPlainKey(event)) return
    event.preventDefault()
    if (event.key === '/') this.end?.head?.beginSearch()
    else import('./menus.js').then(({showKeys}) => showKeys(this))
  }

  // A search of everything is a search from the root.
  #searchEverywhere() {
    const root = this.place.prefix(0), {value} = this.#everywhere
    this.go(value.trim() ? root.setting({show: null, depth: null, expand: null, q: value, in: root.value('in') ?? '*'})
      : root.setting({q: null, in: null}), {replace: this.place.isSearch})
  }

  // MARK: Showing

  // The columns that an address needs. The last column shows a level or a detail, which is known from `leaf`, or only
  // when the item has been read.
  #wanted(place) {
    const {shown, segments} = place
    const wanted = segments.map((_, length) =>
      ({part: 'level', place: place.prefix(length), selected: place.prefix(length + 1).path}))
    wanted.push({part: 'end', place, selected: shown?.path || null})
    if (shown) wanted.push({part: 'detail', place: shown, home: place})
    return wanted.slice(this.isNarrow ? -1 : -COLUMNS)
  }

  /**
   * @param {Place} place
   * @param {{leaf?: boolean, focus?: any}} how
   */
  async render(place, {leaf, focus} = {}) {
    this.#rendering.abort()
    this.#rendering = new AbortController()
    const {signal} = this.#rendering, {changes, place: left} = this
    this.place = place
    const wanted = this.#wanted(place)
    const panes = wanted.map(each => this.panes.find(pane => pane.shows(each, leaf)))
    // Existing columns change immediately, new columns when they have been read.
    panes.forEach((pane, index) => pane?.adjust(wanted[index]))
    this.#markPath(wanted)
    this.isReading = panes.includes(undefined)
    for (const pane of this.panes) pane.isLeaving = !panes.includes(pane)
    this.editor?.offer()
    const slow = setTimeout(() => this.#main.classList.add('loading'), 150)
    try {
      await Promise.all(wanted.map(async (each, index) => {
        panes[index] ??= await this.#opened(each, leaf, signal)
      }))
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      clearTimeout(slow)
    }
    // Meanwhile another place was opened.
    if (signal.aborted) return
    this.#main.classList.remove('loading')
    const missing = panes.findIndex(({problem}) => problem) + 1
    if (missing) panes.length = missing
    const added = panes.filter(pane => !this.panes.includes(pane))
    this.#show(panes)
    if (changes !== this.changes) for (const pane of added) pane.refresh()
    this.refreshed(panes.at(-1))
    this.#focus(focus, left)
  }

  // Marks the rows on the path immediately, before the columns to which these rows lead have been read.
  #markPath(wanted) {
    for (const pane of this.panes) {
      const target = wanted.find(({part, place}) => part === 'level' && place.path === pane.place.path)
      if (pane.level && target) pane.select(target.selected)
    }
  }

  async #opened({part, place, selected, home}, leaf, signal) {
    try {
      if (part === 'level') return await new LevelPane(this, place, selected).open(signal)
      const level = new Level(place)
      if (part === 'end' && !leaf) {
        await level.open(positions.get(place.target)?.index ?? 0, signal)
        if (!level.head.leaf || level.count || level.head.error) return await new LevelPane(this, place, selected, level).open(signal)
      }
      const {DetailPane} = await details()
      return await new DetailPane(this, place, home).open(signal)
    } catch (error) {
      if (!error.status) throw error
      const {MissingPane} = await details()
      return new MissingPane(this, place, error)
    }
  }

  #show(panes) {
    for (const pane of this.panes) if (!panes.includes(pane)) pane.end()
    panes.forEach((pane, index) => {
      if (this.#main.children[index] !== pane.element) this.#main.insertBefore(pane.element, this.#main.children[index] ?? null)
      if (this.panes.includes(pane)) return
      restoreWidth(pane)
      pane.shown?.()
    })
    for (const child of [...this.#main.children].slice(panes.length)) if (child !== this.#about) child.remove()
    this.panes = panes
    this.isReading = false
    for (const pane of panes) {
      if (pane.head) this.editor?.updateHead(pane.head)
      pane.element.classList.toggle('last', pane === panes.at(-1))
      pane.element.classList.toggle('end', pane === this.end)
    }
    this.#showAbout()
    this.#main.scrollTo({left: this.#main.scrollWidth * (isRightToLeft(this.#main) ? -1 : 1)})
  }

  // If the last column shows a level and there is room beside it, shows a panel there: the fields of the level's item,
  // and hints.
  async #showAbout() {
    const pane = this.panes.at(-1), {clientWidth} = this.#main
    this.#about.remove()
    if (!pane?.level || this.isNarrow || pane.place.value('columns') || this.#main.scrollWidth > clientWidth) return
    this.#main.append(this.#about)
    if (this.#main.scrollWidth > clientWidth) return this.#about.remove()
    const {drawAbout} = await details()
    if (!this.#about.isConnected || pane !== this.panes.at(-1)) return
    await drawAbout(this.#about, pane)
    this.#about.tabIndex = this.#about.scrollHeight > this.#about.clientHeight ? 0 : -1
  }

  // Moves the focus. 'heading': to the heading of the last column. 'last' and 'detail': to the last column. 'selected':
  // to the row that leads to the place that was left. 'lost': to the same row or, without this row, to the heading, but
  // only if no element has the focus.
  async #focus(focus, left) {
    const isBack = ['selected', 'lost'].includes(focus), {place} = this, pane = isBack ? this.end : this.panes.at(-1)
    const isNeeded = () => focus && this.place === place && (focus !== 'lost' || document.activeElement === document.body)
    if (!isNeeded()) return
    const index = isBack && pane.level ? await pane.indexTowards(left.shown ?? left) : -1
    // Meanwhile another place was opened or, for 'lost', another element received the focus.
    if (!isNeeded()) return
    if (focus === 'heading' || !pane.level || index < 0 && focus === 'lost') pane.heading.focus()
    else pane.focusRow(index < 0 ? pane.list.visible.first : index)
    this.announce(document.title)
  }

  // MARK: Live

  #changed(isConcerned) {
    this.changes++
    for (const pane of this.panes) if (isConcerned(pane)) pane.refresh()
  }

  // Updates the path, and the panel beside the last level, after a pane has shown a newer state.
  refreshed(pane) {
    if (!this.panes.includes(pane)) return
    pane = this.panes.at(-1)
    const head = pane.level?.head ?? pane.detail
    const above = this.panes.at(-2)?.level?.head
    const ancestors = head?.ancestors ?? (above && [...above.ancestors, above])
    // The title in an item's own column is newer than the item's title in `ancestors`, which is from another answer.
    const titled = ancestors?.map((each, length) => this.panes.find(({level, place}) => level?.head && place.segments.length === length)?.level.head ?? each)
    showCrumbs(pane.place, titled, head?.title)
    if (pane.level) this.#showAbout()
  }

  // Opens a pane anew, because its item is gone.
  lost(pane) {
    if (this.panes.includes(pane)) this.#again(pane)
  }

  // Opens a pane anew, because its item exists again or has become a branch.
  turned(pane) {
    if (this.panes.includes(pane) && !pane.home) this.#again(pane)
  }

  #again(pane) {
    this.panes = this.panes.filter(other => other !== pane)
    pane.end()
    this.render(this.place)
  }

  announce(text) {
    this.#voice.textContent = text
  }

  #voice = document.body.appendChild(el('div.voice', {ariaLive: 'polite'}))

  // MARK: Editing

  // `isKept`: whether the token was kept from before the page was loaded. If a kept token allows only reading, it stays
  // in use, and no message is shown.
  async setEditing(isOn, isKept = false) {
    const {Editor, styles} = await import('./editor.js')
    await styles
    const isForReading = isOn && isKept && await isReadingClosed()
    if (isOn && !await Editor.isAllowed(isForReading)) isOn = false
    if (isOn) this.editor ??= new Editor(this)
    if (!isOn && !isForReading) token.value = null
    this.isEditing = isOn
    document.body.classList.toggle('editing', isOn)
    for (const pane of this.panes) pane.redrawAll()
  }
}

watchState()
new App().begin()
live.follow()
