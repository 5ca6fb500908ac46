// The columns for an address: one for each level of the path, and on wide screens an inspector; on narrow screens, only
// the last column. A column is a `Pane`, which a `Wanted` describes (types.d.ts).

import {fitColumns, restoreWidth, watchSize} from './columns.js'
import {base, boxOf, el, isPlainKey, isRightToLeft, on, showWhole} from './elements.js'
import {LevelPane} from './level-pane.js'
import {Level} from './level.js'
import {watchState} from './messages.js'
import {itemPath, Place, positions, showCrumbs} from './place.js'
import {Search} from './search.js'
import {getJSON, isReadingClosed, live, token} from './service.js'

// The maximum number of columns in the page. The path in the header leads to the levels above these columns.
const COLUMNS = 6

// The module for details is loaded when the first level has been shown, or immediately if the address shows a detail.
let DetailPane, MissingPane
const details = async () => ({DetailPane, MissingPane} = await import('./detail-pane.js'))

// Whether an item has only a detail.
const isLeaf = ({head, count}) => head.leaf && !count && !head.error

class App {
  /** @type {?import('./editor.js').Editor} Null until editing begins for the first time. */
  editor = null
  #main = document.querySelector('main')
  #narrow = matchMedia('(max-width: 47.99rem)')
  #wide = matchMedia('(min-width: 64rem)')
  #rendering = new AbortController()
  #search = new Search(this)
  // The number of changes so far. If this number grows during a request, the answer may be older than the change.
  changes = 0
  /** @type {import('./types').Pane[]} */
  panes = []
  isEditable = false
  // The name of the file that the service serves, without its extension.
  #name = ''
  isEditing = false

  async begin() {
    document.querySelector('.late').remove()
    history.scrollRestoration = 'manual'
    addEventListener('popstate', () => this.render(Place.of(location), {focus: 'lost'}))
    addEventListener('click', event => this.#clicked(event))
    addEventListener('contextmenu', event => this.#menuAsked(event))
    addEventListener('keydown', event => this.#key(event))
    addEventListener('mouseover', showWhole)
    for (const type of ['before', 'after']) on(window, type + 'print', () => this.current.print?.(type === 'before'))
    for (const each of [this.#narrow, this.#wide]) on(each, 'change', () => this.render(this.place))
    watchSize(() => this.fit())
    on(live, 'change', ({detail}) => this.#changed(pane => pane.concernedBy(detail)))
    on(live, 'reset', () => this.#changed(() => true))
    const rendered = this.render(Place.of(location)).finally(details),
      isEditable = async () => (await getJSON('/')).editable
    const isAllowed = await isEditable()
    // Without a token for reading, the answer lacks `editable`. It is requested again when the user has entered a
    // token.
    this.isEditable = isAllowed ?? (await rendered, await isEditable())
    this.#updateHeads()
    this.#readName()
    if (token.value && isAllowed) this.setEditing(true, true)
  }

  async #readName() {
    const {source = ''} = await getJSON('/readyz')
    this.#name = source.replace(/[?#].*|\/+$/g, '').split(/[/\\:]/).at(-1).replace(/\.\w+$/, '')
    this.#updateHeads()
  }

  // Shows in the columns what became known of the document.
  #updateHeads() {
    for (const pane of this.panes) pane.head ? pane.head.update() : pane.redrawAll()
    this.showPath()
  }

  get isNarrow() { return this.#narrow.matches }

  // Whether there is room for the inspector.
  get isWide() { return this.#wide.matches }

  // The last column that shows a level; without a level, the last column.
  get end() { return this.panes.findLast(({level}) => level) ?? this.panes.at(-1) }

  // The column of the chosen item: its level or, if it has none, its detail.
  get current() {
    const last = this.panes.at(-1), {end} = this
    return last?.place.path === end?.place.path ? end : last
  }

  // The title of an item; without one, its segment or, for a document without a title, the name of the file.
  titled(place, title) {
    return place.parent ? title ?? place.name : title && title !== 'Root' ? title : this.#name || 'Root'
  }

  // Whether columns of the present address are being read.
  get isReading() {
    return this.#isFinding || this.panes.some(({isRead, isLeaving}) => !isRead || isLeaving)
  }

  // Whether columns of the present address are not known yet.
  #isFinding = false

  // `isBrowsing`: whether the arrow keys chose the place. The places of a walk by arrow keys share one entry of the
  // browser's history; a place that is opened otherwise gets an entry, also if a walk has led to it.
  go(place, {replace = undefined, isBrowsing = false, focus = undefined} = {}) {
    if (place.address !== location.pathname + location.search) {
      positions.store()
      if (replace || isBrowsing && history.state?.isBrowsing) history.replaceState(history.state, '', place.address)
      else history.pushState({from: this.place.address, isBrowsing}, '', place.address)
    } else if (!isBrowsing) history.replaceState({...history.state, isBrowsing: false}, '')
    this.render(place, {focus})
  }

  // The paths of lists whose columns are left out, because their rows were chosen in the columns of their records.
  #leftOut = new Set()

  // The place above another one whose column is shown.
  above({parent}) { return parent && this.#leftOut.has(parent.path) ? parent.parent : parent }

  // The path of the row of a level that leads to a place.
  #towards(place, length) {
    const {path} = place.prefix(length + 1)
    return this.#leftOut.has(path) ? place.prefix(length + 2).path : path
  }

  // Goes to the place of a row.
  follow(row, pane, {byKey = false, isBrowsing = false} = {}) {
    const place = pane.place.toLink(row.href)
    if (pane.level.record) this.#leftOut.add(place.parent.path)
    const isBeside = !this.isNarrow && (pane.place.isOutline || this.place.isSearch)
    if (pane.place.isSearch) this.#hit = place
    if (isBeside && pane.place.isOutline) this.go(pane.place.showing(place), {isBrowsing})
    else this.go(isBeside ? this.place.showing(place) : place,
      {isBrowsing, focus: byKey ? 'last' : this.isNarrow && 'heading'})
  }

  // Goes to the level above the place that is shown, and to the row that led there.
  goUp() {
    const {place} = this
    const up = place.shown ? place.showing(null)
      : place.isSearch || place.isOutline ? place.setting({q: null, depth: null, expand: null}) : this.above(place)
    if (!up) return
    if (history.state?.from === up.address && this.isNarrow) history.back()
    else this.go(up, {focus: 'selected'})
  }

  // Moves the keyboard to the row that leads to a column, which becomes the place that is shown.
  goOut(pane) {
    const above = this.panes[this.panes.indexOf(pane) - 1]
    if (!above?.level || pane.place.levelQuery) this.goUp()
    else if (pane.level)
      this.go(this.place.isSearch ? this.place.showing(pane.place) : pane.place, {isBrowsing: true, focus: 'above'})
    else this.#focus('selected', pane.place)
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

  // A right click, a long press or the menu key on a row opens its menu; with Shift, the browser's own.
  async #menuAsked(event) {
    const link = event.target.closest('.item')?.querySelector('.row[href]'),
      pane = this.panes.find(({element}) => element.contains(link))
    const row = link && !event.shiftKey && pane.level.row(pane.list.indexOf(link))
    if (!row) return
    event.preventDefault()
    const {left, bottom} = boxOf(link),
      at = event.button === 2 || event.clientX ? [event.clientX, event.clientY] : [left + 16, bottom]
    const {openRowMenu} = await import('./menus.js')
    openRowMenu(this, pane, row, new DOMRect(...at), link)
  }

  #key(event) {
    if (!['/', '?'].includes(event.key) || !isPlainKey(event)) return
    event.preventDefault()
    if (event.key === '/') this.#search.begin()
    else import('./menus.js').then(({showKeys}) => showKeys(this))
  }

  // The columns that an address needs. `leaf`: whether the last item has only a detail; undefined if unknown.
  #wanted(place, leaf) {
    const {shown, segments} = place, isLeftOut = ({place}) => this.#leftOut.has(place.path)
    const wanted = segments.map((_, length) =>
      ({part: 'level', place: place.prefix(length), selected: this.#towards(place, length)}))
    const hit = place.isSearch && shown && this.#hitOf(place, shown)
    if (!leaf || shown) wanted.push({part: 'end', place, selected: hit ? hit.path : shown?.path || null})
    // The levels of an opened hit are beside the hits.
    for (let length = hit ? hit.segments.length : Infinity; length <= shown?.segments.length; length++) {
      const above = shown.prefix(length)
      if (length < shown.segments.length || this.#known(shown)?.leaf === false)
        wanted.push({part: 'level', place: above, selected: this.#towards(shown, length)})
    }
    if (leaf || shown || this.isWide)
      wanted.push({part: 'detail', place: shown ?? place, home: shown ? place : undefined})
    return wanted.filter(each => !isLeftOut(each)).slice(this.isNarrow ? -1 : -COLUMNS - (this.isWide ? 1 : 0))
  }

  /** @type {?Place} The hit that was chosen last. */
  #hit = null

  // The hit that leads to an item.
  #hitOf({path}, shown) {
    if (this.#hit && shown.isWithin(this.#hit)) return this.#hit
    const hits = this.panes.find(({place}) => place.isSearch && place.path === path)?.level
    for (const [, {href}] of hits?.loaded() ?? []) if (shown.isWithin(Place.ofLink(href))) return Place.ofLink(href)
    return shown
  }

  // What is known of an item before it is read: its own column, or the row that leads to it.
  #known({path}) {
    const own = this.panes.filter(({place}) => place.path === path)
    if (own.some(({level}) => level)) return {leaf: false, title: own[0].title}
    const rows = this.panes.flatMap(({level}) => [...level?.loaded() ?? []])
    return own.find(({detail}) => detail)?.detail ?? rows.find(([, {href}]) => itemPath(href) === path)?.[1]
  }

  // Shows the columns of a place. New columns appear at once, with what is known of their items, and are read then; if
  // it is not known whether an item has a level, its column appears when that is read.
  async render(place, {focus = undefined, isKnown = true} = {}) {
    this.#rendering.abort()
    this.#rendering = new AbortController()
    const {signal} = this.#rendering, {changes, place: left} = this
    this.place = place
    this.#leftOut.delete((place.shown ?? place).path)
    const known = isKnown ? this.#known(place) : undefined
    const wanted = this.#wanted(place, known?.leaf)
    const kept = wanted.map(each => this.panes.find(pane => pane.shows(each)))
    const panes = wanted.map((each, index) => kept[index] ?? this.#made(each, known))
    kept.forEach((pane, index) => pane?.adjust(wanted[index]))
    this.#markPath(wanted)
    this.#search.update(place, wanted.findLast(({part}) => part !== 'detail')?.place ?? place.parent ?? place)
    if (panes.some(Boolean)) this.#show(panes)
    else for (const pane of this.panes) pane.isLeaving = true
    this.showPath()
    this.#isFinding = panes.includes(undefined)
    if (this.#isFinding) {
      this.editor?.offer()
      const slow = setTimeout(() => this.#main.classList.add('loading'), 150)
      for (const [index, each] of wanted.entries()) {
        if (panes[index] || signal.aborted) continue
        const pane = panes[index] = await this.#read(each, signal)
        // Meanwhile another place was opened, or a column cannot be shown.
        if (signal.aborted || !pane || this.panes.some(({problem, isLeaving}) => problem && !isLeaving)) continue
        this.#show(pane.problem ? panes.slice(0, index + 1) : panes)
        if (changes !== this.changes) pane.opened?.then(() => pane.refresh())
      }
      clearTimeout(slow)
      if (signal.aborted) return
      this.#main.classList.remove('loading')
      this.#isFinding = false
      this.editor?.offer()
      this.showPath()
    }
    this.#focus(focus, left)
  }

  // Marks the rows on the path immediately, before the columns to which these rows lead have been read.
  #markPath(wanted) {
    for (const pane of this.panes) {
      const target = wanted.find(({part, place}) => part === 'level' && place.path === pane.place.path)
      if (pane.level && target) pane.select(target.selected)
    }
  }

  // Makes a column that is not read yet; undefined if it is not known which, or if its module is not loaded.
  #made({part, place, selected, home}, known) {
    if (part === 'level' || part === 'end' && known?.leaf === false)
      return new LevelPane(this, place, selected, {known: part === 'end' && known})
    if (part !== 'detail' || !DetailPane) return
    return new DetailPane(this, place, {home, known, before: this.panes.findLast(pane => pane instanceof DetailPane)})
  }

  // Reads whether an item has a level, and makes its column; on a wide screen, none for an item without a level.
  async #read({part, place, selected, home}, signal) {
    try {
      const level = new Level(place)
      if (part === 'end') {
        await level.open(positions.get(place.target)?.index ?? 0, signal)
        if (!isLeaf(level)) return new LevelPane(this, place, selected, {level})
        if (this.isWide) return
      }
      await details()
      return new DetailPane(this, place, {home})
    } catch (error) {
      if (signal.aborted) return
      if (!error.status) throw error
      await details()
      // An item has one form, so only one column can show what was typed into it.
      return this.panes.some(({problem}) => problem) ? undefined : new MissingPane(this, place, error)
    }
  }

  // Shows these columns. Those that were not read yet are read now; those that are not shown any more are ended.
  #show(panes) {
    panes = panes.filter(Boolean)
    const added = panes.filter(pane => !this.panes.includes(pane))
    for (const pane of this.panes) if (!panes.includes(pane)) pane.end()
    panes.forEach((pane, index) => {
      if (this.#main.children[index] !== pane.element)
        this.#main.insertBefore(pane.element, this.#main.children[index] ?? null)
    })
    for (const child of [...this.#main.children].slice(panes.length)) child.remove()
    this.panes = panes
    for (const pane of panes) {
      pane.isLeaving = false
      pane.element.classList.toggle('last', pane === this.current)
      pane.element.classList.toggle('end', pane === this.end)
    }
    this.fit()
    for (const pane of added) {
      restoreWidth(pane)
      if (!pane.isRead) pane.opened = this.#open(pane)
    }
    for (const {head} of panes) if (head) this.editor?.updateHead(head)
    // On a wide screen, the columns do not scroll.
    if (!this.isWide) this.#main.scrollTo({left: this.#main.scrollWidth * (isRightToLeft(this.#main) ? -1 : 1)})
  }

  // Makes room for the last columns. A column is wider as a table, which is known when its rows are read.
  fit() { fitColumns(this.panes, this.end, this.isWide) }

  // Reads a column that is in the page. Until then it is blank, and after 150 ms it has a skeleton.
  async #open(pane) {
    const {changes} = this, slow = setTimeout(() => pane.element.classList.add('slow'), 150)
    try {
      await pane.open()
      if (!this.panes.includes(pane)) return
      pane.isRead = true
      pane.shown()
    } catch (error) {
      if (!this.panes.includes(pane)) return
      if (!error.status) throw error
      return await this.#fail(pane, error)
    } finally {
      clearTimeout(slow)
      pane.element.classList.remove('slow')
    }
    this.editor?.offer()
    this.showPath()
    // The item has become a branch or a leaf since its row was read.
    const isOther = pane.level ? pane === this.end && isLeaf(pane.level)
      : !pane.detail.leaf && !this.isReading && !this.end.level
    const isHit = pane.home?.isSearch && !this.isNarrow && !pane.detail.leaf && this.end.place.path !== pane.place.path
    if (isHit) this.render(this.place)
    else if (isOther && !pane.home) this.#again(pane)
    else if (changes !== this.changes) pane.refresh()
  }

  // Shows why a column cannot be shown in its place; the deeper columns end.
  async #fail(pane, error) {
    await details()
    const index = this.panes.indexOf(pane)
    if (index < 0) return
    this.#show([...this.panes.slice(0, index), new MissingPane(this, pane.place, error)])
    this.showPath()
  }

  // Moves the focus. 'heading': to the heading of the chosen column. 'last': to that column. 'end': to the last level.
  // 'above': to the row of the level before that leads on. 'selected': to the row that leads to the place that was
  // left. 'lost': the same or, without this row, the heading, but only if no element has the focus.
  async #focus(focus, left) {
    const isBack = ['selected', 'lost'].includes(focus)
    const pane = focus === 'above'
      ? this.panes.findLast(({level}, index) => level && index < this.panes.indexOf(this.end))
      : isBack || focus === 'end' ? this.end : this.current
    if (!focus || !pane || focus === 'lost' && document.activeElement !== document.body) return
    // Until the rows are there, the heading has the focus.
    if (focus === 'heading' || !pane.level || !pane.isRead) pane.heading.focus()
    if (focus !== 'heading' && pane.level) await this.#focusRow(pane, focus, left)
    this.announce(document.title)
  }

  async #focusRow(pane, focus, left) {
    const {activeElement} = document, {place} = this
    await pane.opened
    const index = ['last', 'end'].includes(focus) ? -1
      : await pane.indexTowards(focus === 'above' ? this.place : left.shown ?? left)
    // Meanwhile another place was opened, or another element received the focus.
    if (!pane.isRead || this.place !== place || document.activeElement !== activeElement) return
    if (index < 0 && focus === 'lost') pane.heading.focus()
    else pane.focusRow(index < 0 ? pane.list.visible.first : index)
  }

  // A column that is being read is read again when it is there.
  #changed(isConcerned) {
    this.changes++
    for (const pane of this.panes) if (pane.isRead && isConcerned(pane)) pane.refresh()
  }

  // Shows the path to the item of the last column, and the page's title, with the newest titles: those of the columns.
  showPath() {
    const item = this.place.shown ?? this.place, titles = []
    const shown = this.panes.filter(({place, problem, isLeaving}) => !problem && !isLeaving && item.isWithin(place))
    for (const {level, detail} of shown) {
      for (const [length, {title}] of (level?.head ?? detail)?.ancestors.entries() ?? []) titles[length] ??= title
    }
    for (const {place, title} of shown) titles[place.segments.length] = title
    titles[item.segments.length] ??= this.#known(item)?.title
    titles[0] = this.titled(item.prefix(0), titles[0])
    showCrumbs(item, titles)
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
    this.render(this.place, {isKnown: false})
  }

  // Moves the keyboard from the search into the last level.
  focusEnd() { this.#focus('end', this.place) }
  announce(text) { this.#voice.textContent = text }

  #voice = document.body.appendChild(el('div.voice', {ariaLive: 'polite'}))

  async turnEditing() {
    if (this.isEditing || await token.ask('editing')) await this.setEditing(!this.isEditing)
  }

  // `isKept`: whether the token is from before the page was loaded. If it allows only reading, it stays, without a
  // message.
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
