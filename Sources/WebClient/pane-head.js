// The head of a level's column: its title, its tools, and the search field.

import {debounced, el, icon, iconButton} from './dom.js'
import {count, oneLine} from './format.js'
import {openMoreMenu} from './more-menu.js'
import {openViewMenu} from './view-menu.js'

export class PaneHead {
  constructor(pane) {
    this.pane = pane
    this.heading = el('h2', {tabindex: '-1'}, el('bdi'), el('small'))
    this.tools = el('div', {class: 'tools'})
    this.field = el('input', {
      type: 'search', placeholder: 'Search', 'aria-label': 'Search here and below', autocomplete: 'off', spellcheck: 'false',
      enterkeyhint: 'search', oninput: () => this.#search(), onkeydown: event => this.#key(event),
    })
    this.searchBox = el('div', {class: 'search', role: 'search', hidden: true}, icon('search'), this.field,
      iconButton('close', 'End search', () => this.endSearch()))
    this.problem = el('p', {class: 'problem', role: 'alert', hidden: true})
    this.extra = el('div', {class: 'head-extra'})
    this.element = el('header', {class: 'pane-head'},
      el('div', {class: 'head-line'}, backLink(pane), this.heading, this.tools), this.searchBox, this.extra, this.problem)
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
export function backLink(pane) {
  const parent = pane.place.shownFrom ?? pane.place.parent
  if (!parent) return null
  return el('a', {class: 'back tool', href: parent.address, 'aria-label': 'Back'}, icon('back'))
}
