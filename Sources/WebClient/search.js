// The search of the page: one field with its scope, which shows the search of the place.

import {choiceField, debounced, icon, iconButton, on} from './elements.js'
import {Place} from './place.js'

// The scopes: everything, the level that is open and all below it, and only the titles there.
const SCOPES = [['all', 'Everything'], ['here', 'Here'], ['titles', 'Titles here']]

export class Search {
  /** @type {any} */
  #field = document.querySelector('.search input')
  #scope = choiceField('Search in', SCOPES, 'all', () => this.#ask())
  #endButton = iconButton('close', 'End search', () => this.#end(), {hidden: true})
  #askLater = debounced(120, () => this.#ask())
  // The place before the search, and its level.
  #before = new Place([])
  #level = new Place([])

  constructor(app) {
    this.app = app
    this.#field.before(icon('search'))
    this.#field.after(this.#scope, this.#endButton)
    on(this.#field, 'input', () => this.#askLater())
    on(this.#field.parentElement, 'keydown', event => this.#key(event))
  }

  // Shows the search of a place, unless the field is being typed into.
  update(place, level) {
    if (place.isSearch) this.#scope.value = !place.value('in') ? 'titles' : place.parent ? 'here' : 'all'
    else [this.#before, this.#level] = [place, new Place(level.segments)]
    if (document.activeElement !== this.#field) this.#field.value = place.value('q') ?? ''
    this.#endButton.hidden = !place.isSearch
  }

  begin() {
    this.#field.focus()
    this.#field.select()
  }

  // The first letters add an entry to the browser's history; further letters replace this entry.
  #ask() {
    this.#askLater.cancel()
    const {app: {place}} = this, scope = this.#scope.value, q = this.#field.value.trim() && this.#field.value
    if (!q) return place.isSearch && this.app.go(this.#before, {replace: true})
    const next = (scope === 'all' ? new Place([]) : this.#level).setting({q, in: scope === 'titles' ? null : '*'})
    if (next.target !== place.target || next.path !== place.path) this.app.go(next, {replace: place.isSearch})
  }

  #end() {
    this.#field.value = ''
    this.#ask()
    this.app.focusEnd()
  }

  #key(event) {
    event.stopPropagation()
    const isKey = ['Escape', 'ArrowDown', 'Enter'].includes(event.key)
    if (event.isComposing || event.target !== this.#field || !isKey) return
    event.preventDefault()
    if (event.key === 'Escape') return this.#end()
    this.#ask()
    this.app.focusEnd()
  }
}
