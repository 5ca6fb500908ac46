// What is shown for an address: the columns of the path, or on narrow screens the last of them.

import {DetailPane, MissingPane} from './detail-pane.js'
import {el, on} from './elements.js'
import {LevelPane} from './level-pane.js'
import {Level} from './level.js'
import {watchState} from './messages.js'
import {Place, positions, showCrumbs} from './place.js'
import {getJSON, live, token} from './service.js'

// More columns than these are not kept in the page: the path above leads to them.
const COLUMNS = 6

class App {
  #main = document.querySelector('main')
  #narrow = matchMedia('(max-width: 47.99rem)')
  #rendering = 0
  // How many changes were told so far: what is being read while one comes may be older.
  #changes = 0
  // The order, groups and filters that a level was left with, for its column beside what is below it.
  #queries = new Map()
  panes = []
  isEditable = false
  isEditing = false
  editor = null

  async begin() {
    history.scrollRestoration = 'manual'
    addEventListener('popstate', () => this.render(Place.of(location)))
    addEventListener('click', event => this.#clicked(event))
    addEventListener('keydown', event => this.#key(event))
    on(this.#narrow, 'change', () => this.render(this.place))
    on(live, 'change', ({detail}) => this.#changed(pane => pane.concernedBy(detail)))
    on(live, 'reset', () => this.#changed(() => true))
    this.render(Place.of(location))
    this.isEditable = (await getJSON('/')).editable
    if (token.value && this.isEditable) this.setEditing(true)
  }

  get isNarrow() {
    return this.#narrow.matches
  }

  // The last level that is shown, or the detail if there is none.
  get end() {
    return this.panes.findLast(({kind}) => kind === 'level') ?? this.panes.at(-1)
  }

  // MARK: Going

  go(place, {replace = false, leaf, focus} = {}) {
    if (place.address !== location.pathname + location.search) {
      positions.store()
      history[replace ? 'replaceState' : 'pushState']({from: replace ? history.state?.from : this.place.address}, '', place.address)
    }
    return this.render(place, {leaf, focus})
  }

  // Goes where a row leads.
  follow(row, pane, {byKey = false} = {}) {
    const place = Place.ofLink(row.href)
    const focus = byKey ? 'last' : this.isNarrow ? 'heading' : null
    const staysBeside = !this.isNarrow && (pane.place.isOutline || (pane.place.isSearch && row.leaf))
    if (staysBeside) return this.go(pane.place.showing(place), {focus: byKey ? 'none' : null})
    return this.go(place, {leaf: row.leaf, focus})
  }

  goUp(pane) {
    const home = pane.home ?? (pane.place.shown ? pane.place : null)
    const up = home ? home.showing(null) : pane.place.query ? pane.place.with('') : pane.place.parent
    if (!up) return
    if (history.state?.from === up.address && this.isNarrow) history.back()
    else this.go(up, {focus: 'selected'})
  }

  #clicked(event) {
    const link = event.target.closest?.('a[href]')
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    if (link.target || link.origin !== location.origin || !/^\/($|browse(\/|$))/.test(link.pathname)) return
    event.preventDefault()
    const pane = this.panes.find(({element}) => element.contains(link))
    const index = pane?.kind === 'level' && link.matches('.row') ? pane.list.indexOf(link) : -1
    const row = index >= 0 ? pane.level.row(index) : null
    if (row) this.follow(row, pane)
    else if (link.matches('.back') && history.state?.from === link.pathname + link.search) history.back()
    else this.go(Place.of(link), {replace: link.matches('.detail .tool:not(.back)')})
  }

  #key(event) {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.closest('input, textarea, select')) return
    event.preventDefault()
    if (this.end?.kind === 'level') this.end.head.beginSearch()
  }

  // MARK: Showing

  // The panes that an address asks for, the last one's kind being unknown unless `leaf` tells it.
  #wanted(place) {
    const {shown} = place
    const target = shown ?? place
    const wanted = []
    for (let length = 0; length < place.segments.length; length++) {
      const prefix = place.prefix(length)
      wanted.push({kind: 'level', place: prefix.with(this.#queries.get(prefix.path)), selected: place.prefix(length + 1).path})
    }
    wanted.push({kind: 'end', place, selected: shown?.path || null})
    if (shown) wanted.push({kind: 'detail', place: target.with(''), home: place})
    return this.isNarrow ? wanted.slice(-1) : wanted.slice(-COLUMNS)
  }

  async render(place, {leaf, focus} = {}) {
    const number = ++this.#rendering, changes = this.#changes
    this.place = place
    if (!place.isSearch && !place.isOutline) this.#queries.set(place.path, place.setting({show: null}).query)
    const wanted = this.#wanted(place)
    const panes = wanted.map(each => this.#existing(each, leaf))
    // What is there already changes at once; the rest when it has been read.
    panes.forEach((pane, index) => pane && this.#adjust(pane, wanted[index]))
    this.#markPath(wanted)
    const isSlow = setTimeout(() => number === this.#rendering && this.#main.classList.add('loading'), 150)
    await Promise.all(wanted.map(async (each, index) => {
      panes[index] ??= await this.#opened(each, leaf)
    })).finally(() => clearTimeout(isSlow))
    if (number !== this.#rendering) {
      for (const pane of panes) if (!this.panes.includes(pane)) pane.end()
      return
    }
    this.#main.classList.remove('loading')
    const added = panes.filter(pane => !this.panes.includes(pane))
    this.#show(panes)
    if (changes !== this.#changes) for (const pane of added) pane.refresh()
    this.refreshed(panes.at(-1))
    this.#focus(focus)
  }

  #existing({kind, place}, leaf) {
    return this.panes.find(pane => pane.place.path === place.path
      && (kind === 'end' ? pane.kind === (leaf ? 'detail' : 'level') || (leaf === undefined && pane.kind === 'detail' && !pane.home)
        : pane.kind === kind && (kind === 'level' || pane.home?.path !== undefined)))
  }

  #adjust(pane, {place, selected, home}) {
    if (pane.kind === 'detail') {
      pane.home = home ?? null
      return
    }
    pane.select(selected)
    pane.ask(place)
  }

  // A row is marked as soon as it is taken, before what it leads to has been read.
  #markPath(wanted) {
    for (const pane of this.panes) {
      const target = wanted.find(({kind, place}) => kind === 'level' && place.path === pane.place.path)
      if (pane.kind === 'level' && target) pane.select(target.selected)
    }
  }

  async #opened({kind, place, selected, home}, leaf) {
    try {
      if (kind === 'detail' || leaf) return await new DetailPane(this, place.with(''), {home}).open()
      if (kind === 'level') return await new LevelPane(this, place, {selected}).open()
      const level = new Level(place)
      await level.open(positions.get(level.target({}))?.index ?? 0)
      if (level.head.leaf && level.count === 0 && !level.head.error) return await new DetailPane(this, place.with('')).open()
      return await new LevelPane(this, place, {level, selected}).open()
    } catch (error) {
      if (!error.status) throw error
      return new MissingPane(this, place, error)
    }
  }

  #show(panes) {
    for (const pane of this.panes) if (!panes.includes(pane)) pane.end()
    panes.forEach((pane, index) => {
      if (this.#main.children[index] !== pane.element) this.#main.insertBefore(pane.element, this.#main.children[index] ?? null)
      if (!this.panes.includes(pane)) pane.shown?.()
    })
    for (const child of [...this.#main.children].slice(panes.length)) child.remove()
    this.panes = panes
    for (const pane of panes) pane.element.classList.toggle('last', pane === panes.at(-1))
    for (const pane of panes) pane.element.classList.toggle('end', pane === this.end)
    this.#main.scrollTo({left: this.#main.scrollWidth * (getComputedStyle(this.#main).direction === 'rtl' ? -1 : 1)})
  }

  #focus(focus) {
    const pane = focus === 'selected' ? this.end : this.panes.at(-1)
    if (!focus || focus === 'none' || !pane) return
    if (focus === 'heading' || pane.kind !== 'level') pane.heading?.focus() ?? pane.head?.heading.focus()
    else pane.focusRow(Math.max(0, pane.selected ? pane.level.indexOf('/levels/' + pane.selected) : pane.list.visible.first))
    this.announce(document.title)
  }

  // MARK: Live

  #changed(isConcerned) {
    this.#changes++
    for (const pane of this.panes) if (isConcerned(pane)) pane.refresh()
  }

  // A pane shows a newer state: its title may be another.
  refreshed(pane) {
    if (pane !== this.panes.at(-1)) return
    const head = pane.level?.head ?? pane.detail
    showCrumbs(pane.place, head?.ancestors, head?.title)
  }

  // What a pane shows is not there any more.
  lost(pane) {
    if (this.panes.includes(pane)) this.#again(pane)
  }

  // A pane's item is there again, or has become a branch.
  turned(pane) {
    if (this.panes.includes(pane) && !pane.home) this.#again(pane)
  }

  #again(pane) {
    this.panes = this.panes.filter(other => other !== pane)
    pane.end()
    this.render(this.place)
  }

  announce(text) {
    this.#voice ??= document.body.appendChild(el('div.voice', {'aria-live': 'polite'}))
    this.#voice.textContent = text
  }

  #voice = null

  // MARK: Editing

  async setEditing(isOn) {
    const {Editor} = await import('./editor.js')
    if (isOn && !await Editor.isAllowed()) isOn = false
    if (isOn) this.editor ??= new Editor(this)
    if (!isOn) token.value = null
    this.isEditing = isOn
    document.body.classList.toggle('editing', isOn)
    for (const pane of this.panes) pane.redrawAll()
  }
}

watchState()
new App().begin()
live.follow()
