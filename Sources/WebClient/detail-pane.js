// A column that shows the fields of one item.

import {Problem, request} from './api.js'
import {coalesced, el, icon, iconButton} from './dom.js'
import {asset, oneLine} from './format.js'
import {concerns} from './live.js'
import {openMoreMenu} from './more-menu.js'
import {fromJSON, parse, plain} from './plist.js'
import {Place} from './place.js'
import {fieldValue} from './value-view.js'

export class DetailPane {
  kind = 'detail'
  #controller = new AbortController()
  #open = new Set()

  // `home`: the place whose address shows this detail, if it is not the item's own.
  constructor(app, place, {home} = {}) {
    this.app = app
    this.place = place
    this.home = home ?? null
    this.heading = el('h2', {tabindex: '-1'}, el('bdi', null, place.name || ' '))
    this.tools = el('div', {class: 'tools'})
    this.moreButton = iconButton('more', 'More', () => openMoreMenu(this, this.moreButton))
    this.moreButton.setAttribute('aria-haspopup', 'dialog')
    this.previous = el('a', {class: 'tool', role: 'link', 'aria-label': 'Previous'}, icon('up'))
    this.next = el('a', {class: 'tool', role: 'link', 'aria-label': 'Next'}, icon('down'))
    this.tools.append(this.previous, this.next, this.moreButton)
    const back = home ?? place.parent
    this.body = el('div', {class: 'detail-body', tabindex: '-1'})
    this.element = el('section', {class: 'pane detail', 'aria-label': place.name},
      el('header', {class: 'pane-head'}, el('div', {class: 'head-line'},
        back && el('a', {class: 'back tool', href: back.showing(null).address, 'aria-label': 'Back'}, icon('back')),
        this.heading, this.tools)),
      this.body)
    this.element.addEventListener('keydown', event => this.#key(event))
  }

  get title() {
    return this.detail?.title ?? this.place.name
  }

  get target() {
    return this.place.detail
  }

  async open() {
    await this.#read()
    this.draw()
    return this
  }

  async #read() {
    const {signal} = this.#controller
    this.detail = await readDetail(this.place, signal)
  }

  draw() {
    const {detail} = this
    this.element.setAttribute('aria-label', `${this.title || 'Untitled'}, detail`)
    this.heading.firstChild.textContent = oneLine(this.title.slice(0, 300)) || ' '
    this.#point(this.previous, detail.previous)
    this.#point(this.next, detail.next)
    if (this.app.editor?.drawDetail(this)) return
    const scrolled = this.body.scrollTop
    this.body.replaceChildren(...this.#content())
    this.body.scrollTop = scrolled
    this.body.tabIndex = this.body.scrollHeight > this.body.clientHeight ? 0 : -1
  }

  #content() {
    const image = this.detail.fields.find(([name]) => name === 'Image')?.[1]
    const source = image?.type === 'string' && asset(image.value)
    const picture = source && el('img', {class: 'hero', src: source, alt: ''})
    if (picture) picture.addEventListener('error', () => picture.remove(), {once: true})
    const fields = this.detail.fields.filter(([name]) => name !== 'Title')
    const list = el('dl', {class: 'fields'}, ...fields.map(([name, value]) => el('div', {class: 'field type-' + value.type},
      el('dt', {dir: 'auto'}, oneLine(name)), el('dd', null, fieldValue(value, name, this.#open)))))
    return [picture, fields.length ? list : el('p', {class: 'empty'}, 'No other fields.')].filter(Boolean)
  }

  #point(link, neighbour) {
    if (!neighbour) {
      link.removeAttribute('href')
      link.setAttribute('aria-disabled', 'true')
      return
    }
    const place = Place.ofLink(neighbour.href)
    link.href = (this.home ? this.home.showing(place) : place).address
    link.dataset.item = neighbour.href
    link.title = oneLine(neighbour.title.slice(0, 200))
    link.removeAttribute('aria-disabled')
  }

  #key(event) {
    if (event.target.closest('input, textarea, select') || event.ctrlKey || event.metaKey || event.altKey) return
    const link = {ArrowUp: this.previous, ArrowDown: this.next}[event.key]
    if (event.key === 'Escape' || event.key === 'ArrowLeft') {
      event.preventDefault()
      this.app.goUp(this)
    } else if (link?.href && this.body.scrollHeight <= this.body.clientHeight) {
      event.preventDefault()
      this.app.go(Place.of(link), {replace: true, focus: 'detail'})
    }
  }

  concernedBy(entry) {
    if (entry.truncated) return true
    const parent = this.place.parent
    return entry.details.includes(this.place.detail) || entry.levels.includes(this.place.level)
      || Boolean(parent && concerns(entry, parent.segments.length ? parent.level : '/levels/'))
  }

  refresh = coalesced(async () => {
    const before = this.detail
    try {
      await this.#read()
    } catch (error) {
      if (error instanceof Problem && error.status === 404) this.app.lost(this)
      return
    }
    if (before?.version !== this.detail.version) this.draw()
    if (before?.leaf && !this.detail.leaf) this.app.turned(this)
  })

  redrawAll() {
    if (this.detail) this.draw()
  }

  end() {
    this.#controller.abort()
    this.element.remove()
  }
}

// The detail of an item with the exact types of its fields; of JSON's types if XML cannot carry them.
export async function readDetail(place, signal) {
  try {
    const answer = await request(place.detail, {signal, headers: {Accept: 'application/x-plist'}})
    const members = parse(await answer.text()).value
    const fields = members.find(([name]) => name === 'fields')[1].value
    return {...plain({type: 'dictionary', value: members.filter(([name]) => name !== 'fields')}), fields}
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 406) throw error
    const answer = await (await request(place.detail, {signal})).json()
    return {...answer, fields: fromJSON(answer.fields).value}
  }
}
